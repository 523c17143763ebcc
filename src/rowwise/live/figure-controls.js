// What stands below the picture, and the question above it.

const numberName = (name, i, c) => `${LETTERS[name][1]} ${i + 1}, ${ordinal(c)} number`;

/** A box for every number of Q, K or V. What is no number is said to be none, and changes nothing. */
function numbers(parent, figure, name) {
  const rows = figure.state[name];
  const head = add(parent, "h3.heading", {}, add(null, `span.${name}`, { text: name }));
  add(head, "span.about", { text: ` (${rows.length}, ${rows[0].length})` });
  const table = add(parent, "div.numbers", { style: `--rw-columns:${rows[0].length}` });
  const note = add(parent, "p.note", { role: "status" });
  const boxes = rows.flatMap((row, i) => row.map((_, c) => box(i, c)));
  function box(i, c) {
    const node = add(table, `input.box.${name}`, { inputmode: "decimal", "aria-label": numberName(name, i, c) });
    const value = () => figure.state[name][i][c];
    const show = () => (node.value = full(value()));
    const write = (x) => x !== value() && figure.move((s) => (s[name][i][c] = x));
    node.onfocus = () => figure.choose(name, i, c);
    node.onchange = () => {
      const typed = node.value.trim();
      const x = Number(typed.replaceAll("−", "-").replace(",", ".") || NaN);
      const good = Number.isFinite(x);
      put(note, { text: good ? "" : `${typed ? `“${typed}”` : "An empty box"} is no number to compute with: ${full(value())} stays.` });
      if (good) write(x);
      show();
    };
    node.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") node.onchange();
      const by = ARROWS[event.key]?.[1];
      if (!by) return;
      event.preventDefault();
      write(tidy(value() + by * (event.shiftKey ? 0.01 : 0.1)));
      show();
    };
    return () => {
      if (document.activeElement !== node) show();
      put(node, { "data-chosen": String(figure.coordinate) === String([name, i, c]) });
    };
  }
  return () => boxes.forEach((update) => update());
}

function maskBoxes(parent, figure) {
  const { mask, K } = figure.state;
  add(add(parent, "h3.heading", { text: "mask" }), "span.about", { text: " may attend" });
  const table = add(parent, "div.numbers", { style: `--rw-columns:${K.length}` });
  const label = (i, j) => `query ${i + 1} may attend to key ${j + 1}`;
  const box = (i, j) => add(table, "input.tick", { type: "checkbox", "aria-label": label(i, j), onchange: () => figure.toggle(i, j) });
  const boxes = mask.map((row, i) => row.map((_, j) => box(i, j)));
  return () => boxes.forEach((row, i) => row.forEach((box, j) => (box.checked = figure.state.mask[i][j])));
}

/** One slider, for the number that was last taken hold of. */
function slider(parent, figure) {
  const label = add(parent, "p.slider-name");
  const input = add(parent, "input.range", { type: "range", step: 0.05 });
  const value = add(parent, "output.slider-value");
  input.oninput = () => {
    const [name, i, c] = figure.coordinate;
    figure.begin();
    figure.set(name, i, figure.state[name][i].map((x, k) => (k === c ? Number(input.value) : x)));
  };
  input.onchange = () => figure.finish();
  input.onkeydown = (event) => event.stopPropagation();
  return () => {
    const [name, i, c] = figure.coordinate;
    const x = figure.state[name][i][c];
    const high = reach(figure.state[name].flat(), figure.open ? Number(input.max) : 2);
    const color = `accent-color: var(--rw-${LETTERS[name][1]})`;
    put(input, { min: -high, max: high, "aria-label": numberName(name, i, c), "aria-valuetext": full(x), style: color });
    if (Number(input.value) !== x) input.value = x;
    put(label, { text: numberName(name, i, c) });
    put(value, { text: full(x) });
  };
}

/** What the last move changed, the numbers, the mask, the slider and the buttons. */
function controls(figure) {
  const { stages, state, options } = figure;
  const root = add(null, "div.move");
  const words = add(root, "div.last");
  add(words, "h3.heading", { text: "Move it" });
  add(words, "p.about", { text: "drag an arrow, a square or the slider, type, or use the arrow keys" });
  const changes = add(words, "p.changes", { role: "status" });
  const updates = figure.planes.map((name) => numbers(add(root, "div"), figure, name));
  const masks = stages.includes("masked");
  if (masks) updates.push(maskBoxes(add(root, "div"), figure));
  const tools = add(root, "div.tools");
  updates.push(slider(add(tools, "div.slide"), figure));
  const [first, second] = [add(tools, "div.buttons"), add(tools, "div.buttons")];
  const button = (row, text, onclick) => add(row, "button.button", { text, onclick });
  const pin = button(first, "Pin", () => figure.pin());
  const undo = button(first, "Undo", () => figure.undo());
  button(first, "Reset", () => figure.move((s) => Object.assign(s, copy(options.initial))));
  button(first, "Save SVG", () => save(figure, "svg"));
  button(first, "Save PNG", () => save(figure, "png"));
  const n = state.K.length;
  const presets = { "no mask": () => true, causal: (i, j) => j <= i, padding: (_, j) => j < n - Math.max(1, n >> 2) };
  for (const [name, may] of Object.entries(masks ? presets : {}))
    button(second, name, () => figure.move((s) => (s.mask = s.mask.map((row, i) => row.map((_, j) => may(i, j))))));
  const toggle = (text, change) => {
    const label = add(second, "label.toggle");
    const box = add(label, "input", { type: "checkbox", onchange: () => change(box.checked) });
    label.append(text);
    return [label, box];
  };
  const [scaled, scale] = toggle("divide by √d_k", (on) => figure.move((s) => (s.scale = on)));
  const [compared] = toggle("difference from the right numbers", (on) => ((figure.comparing = on), figure.draw()));
  scaled.hidden = !stages.includes("scaled");
  const update = () => {
    updates.forEach((one) => one());
    put(pin, { "aria-pressed": Boolean(figure.pinned), text: figure.pinned ? "Unpin" : "Pin" });
    undo.disabled = !figure.history.length;
    scale.checked = figure.state.scale;
    compared.hidden = !options.fn || !figure.options.allow_difference;
    tellChanges(figure, changes);
  };
  return { root, update };
}

function tellChanges(figure, node) {
  const parts = [];
  if (figure.before) {
    const { changed, still } = whatChanged(figure.before, figure, figure.stages.filter((s) => !figure.hidden(s)));
    parts.push("Your last move changed ", add(null, "b", { text: `${changed.join(", ") || "no number that is shown"}.` }));
    if (still.length) parts.push(` Not changed: ${still.join(", ")}.`);
  }
  if (figure.pinned) parts.push(" Pinned numbers stand in brackets.");
  if (node.textContent !== parts.map((p) => p.textContent ?? p).join("")) node.replaceChildren(...parts);
}

/** The question that hides a stage until it is answered; then the answer and what is so, side by side. */
function prediction(figure) {
  const { question, choices, finding, stage } = figure.options.predict;
  const root = add(null, "section.predict", { "aria-label": "Predict" });
  add(root, "p", {}, add(null, "b", { text: "Predict: " }), question);
  const ask = add(root, "div.choices", { role: "group", "aria-label": question });
  const field = (value) => {
    const input = add(add(ask, "label.toggle"), "input", { type: "radio", name: figure.id, value });
    input.after(value);
    return input;
  };
  const fields = choices?.map(field) ?? [add(ask, "input.box.answer", { "aria-label": "Your prediction" })];
  const given = () => (choices ? (fields.find((f) => f.checked)?.value ?? "") : fields[0].value.trim());
  const commit = () => (figure.answer(given()), said.focus());
  const send = add(ask, "button.button", { text: "Commit my answer", disabled: "", onclick: commit });
  for (const input of fields) {
    input.oninput = () => (send.disabled = !given());
    input.onkeydown = (event) => (event.stopPropagation(), event.key === "Enter" && given() && commit());
  }
  const why = add(root, "p.about", { text: `The ${stage} show when you have answered. Your answer is kept for you, never marked.` });
  const said = add(root, "div.said", { tabindex: -1 });
  const tell = (title, text) => add(said, "div", {}, add(null, "p.about", { text: title }), add(null, "p", { text }));
  const update = () => {
    const answer = figure.model.get("prediction");
    ask.hidden = why.hidden = Boolean(answer);
    if (!answer || said.firstChild) return;
    tell("You said", answer);
    tell("The picture shows", finding ?? `the ${stage} below: lay your answer beside them.`);
  };
  return { root, update };
}
