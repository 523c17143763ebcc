// What stands below the picture, and the question above it.

/** A box for every number of Q, K or V. What is no number is said to be none, and changes nothing. */
function numbers(parent, figure, name) {
  const [base, word] = LETTERS[name];
  const rows = figure.state[name];
  const [n, d] = [rows.length, rows[0].length];
  const head = add(parent, "h3.heading", {}, add(null, `span.${name}`, { text: name }));
  add(head, "span.about", { text: ` (${n}, ${d})` });
  const table = add(parent, `div.numbers.${name}`, { style: `--rw-columns:${d}` });
  const note = add(parent, "p.note", { role: "status" });
  const boxes = rows.flatMap((row, i) => row.map((_, c) => box(i, c)));
  function box(i, c) {
    const node = add(table, "input.box", { inputmode: "decimal", "aria-label": `${word} ${i + 1}, ${ordinal(c)} number` });
    const value = () => figure.state[name][i][c];
    const write = (x) => figure.move((s) => (s[name][i][c] = x));
    const show = () => (node.value = full(value()));
    const read = () => {
      const typed = node.value.trim();
      const x = Number(typed.replaceAll("−", "-").replace(",", ".") || NaN);
      const good = Number.isFinite(x);
      note.textContent = good ? "" : `${typed ? `“${typed}”` : "An empty box"} is no number to compute with: ${base}${i + 1} keeps ${full(value())}.`;
      node.setAttribute("aria-invalid", !good);
      if (good && x !== value()) write(x);
    };
    node.addEventListener("focus", () => figure.choose(name, i, c));
    node.addEventListener("change", () => (read(), show()));
    node.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const by = ARROWS[event.key]?.[1];
      if (event.key === "Enter") read();
      if (!by) return;
      event.preventDefault();
      write(tidy(value() + by * (event.shiftKey ? 0.01 : 0.1)));
      show();
    });
    return () => {
      if (document.activeElement !== node) show();
      put(node, { "data-chosen": String(figure.coordinate) === String([name, i, c]) });
    };
  }
  return () => boxes.forEach((update) => update());
}

function maskBoxes(parent, figure) {
  add(add(parent, "h3.heading", { text: "mask" }), "span.about", { text: " may attend" });
  const table = add(parent, "div.ticks-table", { style: `--rw-columns:${figure.state.K.length}` });
  const boxes = figure.state.mask.map((row, i) =>
    row.map((_, j) => add(table, "input.tick", { type: "checkbox", "aria-label": `query ${i + 1} may attend to key ${j + 1}`, onchange: () => figure.toggle(i, j) })),
  );
  return () => boxes.forEach((row, i) => row.forEach((box, j) => (box.checked = figure.state.mask[i][j])));
}

/** One slider, for the number that was last taken hold of. */
function slider(parent, figure) {
  const label = add(parent, "p.slider-name");
  const input = add(parent, "input.range", { type: "range", step: 0.05 });
  const value = add(parent, "output.slider-value");
  input.addEventListener("input", () => {
    const [name, i, c] = figure.coordinate;
    figure.begin();
    figure.set(name, i, figure.state[name][i].map((x, k) => (k === c ? Number(input.value) : x)));
  });
  input.addEventListener("change", () => figure.finish());
  return () => {
    const [name, i, c] = figure.coordinate;
    const x = figure.state[name][i][c];
    const [base, word] = LETTERS[name];
    const which = `${word} ${i + 1}, ${ordinal(c)} number`;
    const high = reach(figure.state[name].flat(), figure.open ? Number(input.max) : 2);
    put(input, { min: -high, max: high, "aria-label": which, "aria-valuetext": full(x), style: `accent-color: var(--rw-${word})` });
    if (Number(input.value) !== x) input.value = x;
    if (label.title !== which) label.replaceChildren(base, add(null, "sub", { text: i + 1 }), `, ${ordinal(c)} number`);
    label.title = which;
    put(value, { text: full(x) });
  };
}

/** What the last move changed, the numbers, the mask, the slider and the buttons. */
function controls(figure) {
  const root = add(null, "div.move");
  const words = add(root, "div.last");
  add(words, "h3.heading", { text: "Move it" });
  add(words, "p.about", { text: figure.planes ? "drag an arrow or a square, type, or use the arrow keys" : "type, use the arrow keys or the slider" });
  const changes = add(words, "p.changes", { role: "status" });
  const place = () => add(root, "div");
  const updates = ["Q", "K", "V"].filter((name) => figure.inMove(name)).map((name) => numbers(place(), figure, name));
  if (figure.masks) updates.push(maskBoxes(place(), figure));
  const tools = add(root, "div.tools");
  updates.push(slider(add(tools, "div.slide"), figure));
  const button = (row, text, onclick) => add(row, "button.button", { type: "button", text, onclick });
  const toggle = (row, text, change) => {
    const box = add(null, "input", { type: "checkbox", onchange: () => change(box.checked) });
    return [box, add(row, "label.toggle", {}, box, text)];
  };
  const first = add(tools, "div.buttons");
  const pin = button(first, "Pin", () => figure.pin());
  const undo = button(first, "Undo", () => figure.undo());
  button(first, "Reset", () => figure.move((s) => Object.assign(s, copy(figure.options.initial))));
  button(first, "Save SVG", () => save(figure, "svg"));
  button(first, "Save PNG", () => save(figure, "png"));
  const second = add(tools, "div.buttons");
  const n = figure.state.K.length;
  const presets = { "no mask": () => true, causal: (i, j) => j <= i, padding: (_, j) => j < n - Math.max(1, n >> 2) };
  for (const [name, may] of Object.entries(figure.masks ? presets : {}))
    button(second, name, () => figure.move((s) => (s.mask = s.mask.map((row, i) => row.map((_, j) => may(i, j))))));
  const [scale, scaled] = toggle(second, "divide by √d_k", (on) => figure.move((s) => (s.scale = on)));
  const [differ, differs] = toggle(second, "difference from the right numbers", (on) => figure.compare(on));
  const update = () => {
    updates.forEach((one) => one());
    put(pin, { "aria-pressed": Boolean(figure.pinned), text: figure.pinned ? "Unpin" : "Pin" });
    undo.disabled = !figure.history.length;
    scale.checked = figure.state.scale;
    scaled.hidden = !figure.stages.includes("scaled");
    differs.hidden = !figure.options.fn || !figure.options.allow_difference;
    differ.checked = Boolean(figure.comparing);
    tellChanges(figure, changes);
  };
  return { root, update };
}

function tellChanges(figure, node) {
  const parts = [];
  if (figure.before) {
    const { changed, still } = whatChanged(figure.before, figure, figure.stages.filter((s) => !figure.hidden(s)));
    const did = changed.length ? `${changed.join(", ")}.` : "no number that is shown.";
    parts.push("Your last move changed ", add(null, "b", { text: did }));
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
  const commit = add(null, "button.button", { type: "button", text: "Commit my answer" });
  const fields = choices
    ? choices.map((value) => add(add(ask, "label.toggle"), "input", { type: "radio", name: figure.id, value }))
    : [add(ask, "input.box.answer", { "aria-label": "Your prediction" })];
  for (const [k, text] of (choices ?? []).entries()) fields[k].after(text);
  const given = () => (choices ? (fields.find((f) => f.checked)?.value ?? "") : fields[0].value.trim());
  for (const field of fields) {
    field.addEventListener("input", () => (commit.disabled = !given()));
    field.addEventListener("keydown", (event) => (event.stopPropagation(), event.key === "Enter" && commit.click()));
  }
  ask.append(commit);
  const why = add(root, "p.about", { text: `The ${stage} show when you have answered. Your answer is kept for you, never marked.` });
  const said = add(root, "div.said", { tabindex: -1, role: "status" });
  commit.disabled = true;
  commit.addEventListener("click", () => (figure.answer(given()), said.focus()));
  return {
    root,
    update() {
      const answer = figure.model.get("prediction");
      ask.hidden = why.hidden = Boolean(answer);
      said.hidden = !answer;
      if (!answer || said.rw === answer) return;
      said.rw = answer;
      for (const [title, text] of [["You said", answer], ["The picture shows", finding ?? `the ${stage} below: lay your answer beside them.`]])
        add(said, "div", {}, add(null, "p.about", { text: title }), add(null, "p", { text }));
    },
  };
}
