// Saving the picture as it stands.

const PAINT = `fill stroke stroke-width stroke-dasharray fill-opacity stroke-opacity font-family font-size font-weight
	paint-order text-anchor visibility`.split(/\s+/);
// Programs that draw SVG know no colour written as color(srgb 1 0.5 0).
const part = (x) => Math.round(255 * x);
const plainColour = (css) => css.replace(/color\(srgb (\S+) (\S+) ([^)]+)\)/g, (_, r, g, b) => `rgb(${part(r)},${part(g)},${part(b)})`);

// The picture as one SVG that needs no style sheet: the drawings, and the words where the browser put them.
function pictureSvg(fig) {
	const picture = fig.root.querySelector(".rw-picture");
	fig.controls.root.hidden = true;
	const all = picture.getBoundingClientRect();
	const out = add(null, "svg", { xmlns: NS, width: Math.ceil(all.width) + 24, height: Math.ceil(all.height) + 24 });
	const place = (at) => ({ x: at.x - all.x + 12, y: at.y - all.y + 12 });
	add(out, "desc", account(fig.state, fig.results, fig.stages));
	add(out, "rect", { width: "100%", height: "100%", fill: getComputedStyle(fig.root).backgroundColor });
	for (const live of picture.querySelectorAll("svg")) {
		const still = out.appendChild(live.cloneNode(true));
		const copies = [still, ...still.querySelectorAll("*")];
		[live, ...live.querySelectorAll("*")].forEach((node, n) => {
			const style = getComputedStyle(node);
			copies[n].setAttribute("style", plainColour(PAINT.map((p) => `${p}:${style.getPropertyValue(p)}`).join(";")));
		});
		put(still, { ...place(live.getBoundingClientRect()), overflow: "visible" });
	}
	const write = (text, box, node) => {
		const { color, fontFamily, fontSize, fontWeight } = getComputedStyle(node);
		const { x, y } = place(box);
		const style = `fill: ${color}; font: ${fontWeight} ${fontSize} ${fontFamily}`;
		add(out, "text", { x, y: y + box.height / 2 + parseFloat(fontSize) * 0.36, style, text });
	};
	const range = document.createRange();
	const walk = document.createTreeWalker(picture, 4, (node) => (node.parentElement.closest("svg, .rw-move") ? 2 : 1));
	while (walk.nextNode())
		for (const word of walk.currentNode.data.matchAll(/\S+/g)) {
			range.setStart(walk.currentNode, word.index);
			range.setEnd(walk.currentNode, word.index + word[0].length);
			write(word[0], range.getBoundingClientRect(), walk.currentNode.parentElement);
		}
	for (const box of picture.querySelectorAll(".rw-side input")) write(box.value, box.getBoundingClientRect(), box);
	fig.controls.root.hidden = false;
	return out;
}

function save(fig, kind) {
	const picture = new Blob([new XMLSerializer().serializeToString(pictureSvg(fig))], { type: "image/svg+xml" });
	const keep = (blob) => add(null, "a", { href: URL.createObjectURL(blob), download: `attention.${kind.toLowerCase()}` }).click();
	if (kind === "SVG") return keep(picture);
	const image = new Image();
	image.onload = () => {
		const canvas = add(null, "canvas", { width: 2 * image.width, height: 2 * image.height });
		canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
		canvas.toBlob(keep);
	};
	image.src = URL.createObjectURL(picture);
}
