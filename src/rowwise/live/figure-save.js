// Saving the picture as it stands.

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity", "font-size", "font-weight", "font-family", "text-anchor", "visibility"];

/** The picture as one SVG that needs no style sheet: the drawings, and the words where the browser put them. */
function pictureSvg(figure) {
  const parts = [...figure.root.querySelectorAll(".rw-side, .rw-middle")];
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const [left, top] = ["left", "top"].map((edge) => Math.min(...boxes.map((b) => b[edge])) - 12);
  const [right, bottom] = ["right", "bottom"].map((edge) => Math.max(...boxes.map((b) => b[edge])) + 12);
  const size = { width: Math.ceil(right - left), height: Math.ceil(bottom - top) };
  const out = add(null, "svg", { xmlns: NS, ...size, viewBox: `0 0 ${size.width} ${size.height}` });
  add(out, "desc", { text: account(figure.state, figure.results, figure.stages) });
  add(out, "rect", { ...size, fill: getComputedStyle(figure.root).backgroundColor });
  for (const live of parts.flatMap((part) => [...part.querySelectorAll("svg")])) {
    const still = live.cloneNode(true);
    const copies = [still, ...still.querySelectorAll("*")];
    [live, ...live.querySelectorAll("*")].forEach((node, n) => {
      const style = getComputedStyle(node);
      for (const { name } of [...copies[n].attributes]) if (/^(class|role|tabindex|aria|data)/.test(name)) copies[n].removeAttribute(name);
      copies[n].setAttribute("style", PAINT.map((p) => `${p}:${style.getPropertyValue(p)}`).join(";"));
    });
    const at = live.getBoundingClientRect();
    for (const [name, value] of [["x", at.x - left], ["y", at.y - top], ["overflow", "visible"]]) still.setAttribute(name, value);
    out.append(still);
  }
  const write = (string, at, { color, fontSize, fontWeight, fontFamily }) =>
    add(out, "text", { x: at.x - left, y: at.y - top + at.height / 2 + parseFloat(fontSize) * 0.36, fill: color, style: `font:${fontWeight} ${fontSize} ${fontFamily}`, text: string });
  const range = document.createRange();
  for (const part of parts) {
    const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT, (node) => (node.parentElement.closest("svg") ? 2 : 1));
    while (walk.nextNode())
      for (const word of walk.currentNode.data.matchAll(/\S+/g)) {
        range.setStart(walk.currentNode, word.index);
        range.setEnd(walk.currentNode, word.index + word[0].length);
        write(word[0], range.getBoundingClientRect(), getComputedStyle(walk.currentNode.parentElement));
      }
    for (const box of part.querySelectorAll("input")) {
      const at = box.getBoundingClientRect();
      write(box.value, { x: at.x + 8, y: at.y, height: at.height }, getComputedStyle(box));
    }
  }
  return out;
}

function save(figure, kind) {
  const picture = new Blob([new XMLSerializer().serializeToString(pictureSvg(figure))], { type: "image/svg+xml" });
  const keep = (blob) => add(null, "a", { href: URL.createObjectURL(blob), download: `attention.${kind}` }).click();
  if (kind === "svg") return keep(picture);
  const image = new Image();
  image.onload = () => {
    const canvas = add(null, "canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(keep);
  };
  image.src = URL.createObjectURL(picture);
}
