// Saving the picture as it stands.

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity", "font", "text-anchor", "visibility"];
// Programs that draw SVG know no colour written as color(srgb 1 0.5 0).
const plainColour = (css) => css.replace(/color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)\)/g, (_, ...rgb) => `rgb(${rgb.slice(0, 3).map((x) => Math.round(255 * x))})`);

/** The picture as one SVG that needs no style sheet: the drawings, and the words where the browser put them. */
function pictureSvg(figure) {
  const parts = [...figure.root.querySelectorAll(".rw-side, .rw-middle")];
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const [left, top] = ["left", "top"].map((edge) => Math.min(...boxes.map((b) => b[edge])) - 12);
  const [right, bottom] = ["right", "bottom"].map((edge) => Math.max(...boxes.map((b) => b[edge])) + 12);
  const out = add(null, "svg", { xmlns: NS, width: Math.ceil(right - left), height: Math.ceil(bottom - top) });
  add(out, "desc", { text: account(figure.state, figure.results, figure.stages) });
  add(out, "rect", { width: "100%", height: "100%", fill: getComputedStyle(figure.root).backgroundColor });
  const range = document.createRange();
  const write = (text, at, { color, font, fontSize }) =>
    add(out, "text", { x: at.x - left, y: at.y - top + at.height / 2 + parseFloat(fontSize) * 0.36, fill: color, style: `font: ${font}`, text });
  for (const part of parts) {
    for (const live of part.querySelectorAll("svg")) {
      const still = out.appendChild(live.cloneNode(true));
      const copies = [still, ...still.querySelectorAll("*")];
      [live, ...live.querySelectorAll("*")].forEach((node, n) => {
        const style = getComputedStyle(node);
        copies[n].setAttribute("style", plainColour(PAINT.map((p) => `${p}:${style.getPropertyValue(p)}`).join(";")));
      });
      const at = live.getBoundingClientRect();
      put(still, { x: at.x - left, y: at.y - top, overflow: "visible" });
    }
    const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT, (node) => (node.parentElement.closest("svg") ? 2 : 1));
    while (walk.nextNode())
      for (const word of walk.currentNode.data.matchAll(/\S+/g)) {
        range.setStart(walk.currentNode, word.index);
        range.setEnd(walk.currentNode, word.index + word[0].length);
        write(word[0], range.getBoundingClientRect(), getComputedStyle(walk.currentNode.parentElement));
      }
    for (const box of part.querySelectorAll("input")) write(box.value, box.getBoundingClientRect(), getComputedStyle(box));
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
