// What Chromium's parser and querySelectorAll make of the documents: a line each, with a hash of the tree and for
// every selector how many elements it matches and a hash of their places in the document.
const text = (id) =>
  new TextDecoder().decode(Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0)));

const start = 0x811c9dc5;
const mix = (hash, number) => Math.imul(hash ^ number, 0x01000193) >>> 0;
const mixText = (hash, words) => new TextEncoder().encode(words).reduce(mix, hash);
const hex = (hash) => ((hash >>> 16) ^ (hash & 0xffff)).toString(16).padStart(4, "0");

function treeHash(elements, depths) {
  let hash = start;
  elements.forEach((element, i) => {
    hash = mixText(mix(hash, depths[i]), element.localName.toLowerCase());
    for (const attribute of element.attributes) hash = mixText(hash, attribute.name.toLowerCase() + "=" + attribute.value);
  });
  return hex(hash);
}

function line(source, selectors) {
  const parsed = new DOMParser().parseFromString(source, "text/html");
  const elements = [...parsed.querySelectorAll("*")];
  const places = new Map(elements.map((element, i) => [element, i]));
  const depths = [];
  for (const element of elements) {
    const above = places.get(element.parentElement);
    depths.push(above === undefined ? 1 : depths[above] + 1);
  }
  const results = selectors.map((selector) => {
    try {
      const found = [...parsed.querySelectorAll(selector)];
      if (found.length === 0) return "-";
      return found.length + "." + hex(found.reduce((hash, element) => mix(hash, places.get(element)), start));
    } catch (error) {
      return "error";
    }
  });
  return [elements.length + "." + treeHash(elements, depths), ...results].join(" ");
}

const selectors = text("selectors").trimEnd().split("\n");
const lines = [];
for (let i = 0; document.getElementById("document" + i); ++i) lines.push(line(text("document" + i), selectors));
document.documentElement.innerHTML = "<pre>\n\n" + lines.join("\n") + "\n</pre>";
