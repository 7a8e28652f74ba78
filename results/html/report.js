"use strict";
// ---- Tables: sort a column by data-v, or by its text; cells without a value always come last.
function sortBy(button) {
  const head = button.closest("th"), body = head.closest("table").tBodies[0];
  const column = [...head.parentNode.children].indexOf(head);
  const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const rows = [...body.rows].map((row, place) => {
    const cell = row.cells[column], numeric = cell.dataset.v !== undefined;
    const text = numeric ? cell.dataset.v : cell.textContent.trim();
    return { row, place, empty: text === "" || text === "-", key: numeric ? parseFloat(text) : text.toLowerCase() };
  });
  rows.sort((a, b) => a.empty - b.empty || down * ((a.key > b.key) - (a.key < b.key)) || a.place - b.place);
  body.append(...rows.map((r) => r.row));
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down < 0 ? "descending" : "ascending");
}

// ---- Search and filters: rows that don't fit are hidden, and with them their submissions, charts and headings. The
// address has what was chosen, so that it can be sent.
const tools = document.querySelector(".tools[role=search]");
const controls = [...tools?.querySelectorAll("input, select") ?? []];
const nameOf = (control) => control.dataset.fact ?? "search";
// What the search finds of a row: its headings, its words, its facts; numbers also without commas.
function said(row) {
  if (row.said) return row.said;
  const heads = [row.closest("section").querySelector("h2"), row.closest(".part")?.querySelector("h3")].filter(Boolean);
  const words = [...heads, row].map((part) => part.textContent).concat(Object.values(row.dataset)).join(" ").toLowerCase();
  return row.said = `${words} ${words.replace(/(\d),(?=\d{3})/g, "$1")}`;
}
// The set that a row is about: its own part of the page.
const setOf = (row) => row.dataset.set ?? row.querySelector("a")?.hash.slice(1);
function sift() {
  const words = tools.querySelector("#find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = controls.filter((c) => c.dataset.fact && c.value).map((s) => [s.dataset.fact, s.value]);
  const fits = ({ dataset }) => wanted.every(([fact, value]) => (dataset[fact] ?? value).split("\n").includes(value));
  const there = new Set(), all = new Set(), sections = new Map();
  for (const row of document.querySelectorAll("table.cards tbody tr[data-organisation]")) {
    row.hidden = !(fits(row) && words.every((w) => said(row).includes(w)));
    const name = setOf(row), set = document.getElementById(name), section = row.closest("section");
    if (set) set.hidden = row.hidden;
    if (!row.hidden) there.add(name);
    sections.set(section, sections.get(section) || !row.hidden);
    all.add(name);
  }
  for (const row of document.querySelectorAll(".follows li, .follows tbody tr")) row.hidden = !there.has(setOf(row));
  for (const figure of document.querySelectorAll("figure[data-sets]")) figure.hidden = !figure.dataset.sets.split(" ").some((set) => there.has(set));
  for (const section of document.querySelectorAll("section[data-benchmark]")) section.hidden = !fits(section);
  const some = ["tbody tr", "li", "figure"].map((kind) => `${kind}:not([hidden])`).join();
  for (const part of document.querySelectorAll(".part")) part.hidden = !part.querySelector(some);
  for (const [section, any] of sections) {
    section.hidden = !any;
    const entry = [...document.querySelectorAll("nav a")].find((a) => a.hash.slice(1) === section.querySelector("h2").id);
    if (entry) entry.parentNode.hidden = !any;
  }
  tools.querySelector("output").value = there.size === all.size ? "" : there.size ? `${there.size} of ${all.size} sets` : `no set of ${all.size} matches`;
}
function keep() {
  const chosen = new URLSearchParams(controls.filter((c) => c.value).map((c) => [nameOf(c), c.value]));
  if (chosen.size || location.hash.includes("=")) history.replaceState(null, "", `#${chosen}`);
}
function restore() {
  if (!tools || !location.hash.includes("=")) return;
  const chosen = new URLSearchParams(location.hash.slice(1));
  for (const control of controls) control.value = chosen.get(nameOf(control)) ?? "";
  sift();
}
if (tools) {
  tools.addEventListener("input", () => { sift(); keep(); });
  tools.addEventListener("submit", (event) => event.preventDefault());
  restore();
}

// ---- Submissions: opened by buttons, and by links to them. What is inside is text (of a noscript) until one is opened,
// so that a thousand of them cost nothing.
function fill(set) {
  const text = set.querySelector(":scope > noscript");
  if (!text || !set.open) return;
  text.outerHTML = text.textContent;
  set.querySelectorAll("figure.chart").forEach((figure) => watcher.observe(figure));
}
document.addEventListener("toggle", (event) => { if (event.target.matches("details.set")) fill(event.target); }, true);
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.closest("th")) sortBy(button);
  if (button?.dataset.open) document.querySelectorAll("details.set").forEach((d) => { if (d.checkVisibility()) d.open = button.dataset.open === "yes"; });
  if (button?.dataset.whole) { button.closest("section").classList.add("whole"); button.remove(); }
});
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.tagName === "DETAILS") { target.open = true; fill(target); target.scrollIntoView(); }
}
window.addEventListener("hashchange", () => { restore(); openTarget(); });

// ---- Charts: drawn when they come into view, and before printing.
const specs = JSON.parse(document.getElementById("specs").textContent);
const GLYPHS = ["●", "■", "◆", "▲", "▼", "✚"], DASHES = ["solid", "dashed", "dotted", "double"];
const SOFT = "var(--soft)", LINE = "var(--line)";
const config = {
  background: "transparent", font: "system-ui, sans-serif", view: { stroke: LINE },
  axis: { labelColor: SOFT, titleColor: SOFT, gridColor: LINE, tickColor: LINE, domainColor: LINE, titleFontWeight: 400,
    labelFontSize: 11, titleFontSize: 11 },
  text: { fill: SOFT },
};
const options = { ast: true, renderer: "svg", actions: false, config, tooltip: { theme: "custom", maxDepth: 1 } };

const told = (value) => typeof value === "number" ? value.toLocaleString("en", { maximumSignificantDigits: 7 }) : value;
// The rows of a chart's tables as objects, with name and look of the series that they belong to, and what is said where
// one points at them.
function tables(content, tips) {
  const made = {};
  for (const [name, { cols, rows }] of Object.entries(content.tables)) {
    const say = Object.entries(tips[name] ?? {}), series = cols.indexOf("s");
    made[name] = rows.map((values) => {
      const row = { ...content.keys[values[series]], ...Object.fromEntries(cols.map((c, i) => [c, values[i]])) };
      const said = say.map(([title, field]) => [title, told(row[field])]).filter(([, text]) => text !== undefined && text !== "");
      return said.length ? { ...row, tip: Object.fromEntries(said) } : row;
    });
  }
  return made;
}
// Names of rows take up to WIDEST pixels, less where there are few. Where a name is longer, organisation and system have a
// line each; what is still too long loses its middle, since names mostly differ at their ends.
const WIDEST = 330, OF_WIDTH = 0.42, LETTER = 6.8;
function named(axis, width) {
  const limit = Math.min(WIDEST, OF_WIDTH * width), most = Math.floor(limit / LETTER), end = Math.floor(most / 2);
  const short = (text) => `(length(${text}) > ${most} ? slice(${text}, 0, ${most - end - 1}) + "…" + slice(${text}, -${end}) : ${text})`;
  const parts = 'split(datum.label, "/")';
  axis.labelLimit = limit;
  axis.labelExpr = `length(datum.label) > ${most} && length(${parts}) === 2 ? [${short(`(${parts}[0] + "/")`)}, ${short(`${parts}[1]`)}] : ${short("datum.label")}`;
  return most;
}
// The specification with its tables, without layers that have nothing to draw, and an axis made logarithmic: values
// without a logarithm are then left out.
function filled({ content, log, single }, width) {
  const spec = structuredClone(specs[content.kind]), axis = spec.usermeta.log;
  spec.datasets = tables(content, spec.usermeta.tips);
  if (spec.datasets.labels) spec.datasets.labels = apart(spec.datasets, width, spec.height - 50);
  spec.layer = spec.layer.filter((layer) => layer.data.values || spec.datasets[layer.data.name]?.length);
  if (!single) spec.layer = spec.layer.filter((layer) => layer.data.name !== (spec.usermeta.single ?? ""));
  const most = Math.min(...spec.layer.filter((layer) => layer.encoding.y?.field === "row").map((layer) => named(layer.encoding.y.axis, width)));
  if (spec.height.step) {
    const rows = new Set(Object.values(spec.datasets).flat().map((row) => row.row)), long = [...rows].some((row) => row?.length > most);
    const marks = spec.layer.some((layer) => layer.encoding.yOffset) ? content.keys.length : 1;  // below each other in a row
    spec.height = Math.max(long ? 34 : 0, spec.height.step, marks > 1 ? 11 * marks + 6 : 0) * rows.size;
  }
  if (log) {
    for (const layer of spec.layer) {
      const encoding = layer.encoding[axis];
      if (encoding?.scale) encoding.scale = { type: "log", nice: false, padding: 12 };
    }
    for (const [name, rows] of Object.entries(spec.datasets))
      spec.datasets[name] = rows.filter((row) => !(row[axis] <= 0));
  }
  return spec;
}
// Labels stand to the upper left of their places. One that would cover another, or a mark, is left out: pointing at the
// mark says the same.
const OF_MARK = 7, OF_LETTER = 6, OF_LINE = 11, MARGINS = 130;  // pixels
function apart({ labels, points, lines }, width, height) {
  const along = (axis, size) => {
    const all = [...points, ...lines].map((row) => Math.log(row[axis])), low = Math.min(...all), span = Math.max(...all) - low || 1;
    return (row) => size * (Math.log(row[axis]) - low) / span;
  };
  const x = along("x", width - MARGINS), y = along("y", height);
  const box = (right, bottom, wide, high) => ({ left: right - wide, right, bottom, top: bottom + high });
  const taken = points.map((row) => box(x(row) + OF_MARK, y(row) - OF_MARK, 2 * OF_MARK, 2 * OF_MARK));
  return labels.filter((row) => {
    const own = box(x(row) - OF_MARK - 1, y(row) + 3, OF_LETTER * row.label.length, OF_LINE);
    if (taken.some((other) => other.left < own.right && own.left < other.right && other.bottom < own.top && own.bottom < other.top)) return false;
    return taken.push(own);
  });
}
async function draw(figure) {
  const view = figure.querySelector(".view");
  const { view: made } = await vegaEmbed(view, filled(figure, view.clientWidth), options);
  figure.made?.finalize();
  figure.made = made;
  view.style.minHeight = 0;
  if (figure.only >= 0) made.signal("only", figure.only).run();
}
function button(text, pressed, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.append(...[text].flat());
  made.setAttribute("aria-pressed", pressed);
  made.addEventListener("click", act);
  return made;
}
const NAMED = 60;
// A name that may break after its parts.
function broken(name) {
  const made = document.createElement("span");
  made.append(...name.split(/(?<=[_/+-])/).flatMap((part) => [part, document.createElement("wbr")]));
  return made;
}
// The legend: a button a series, which shows it alone, or all again.
function legend(figure) {
  const { keys, marks } = figure.content, list = document.createElement("div");
  list.className = "legend";
  const used = new Set(Object.values(figure.content.tables).flatMap(({ cols, rows }) => cols.includes("s") ? rows.map((r) => r[cols.indexOf("s")]) : []));
  keys.forEach((key, s) => {
    if (!used.has(s) || list.children.length >= NAMED) return;
    const mark = document.createElement("i");
    mark.className = marks;
    const colour = `var(--${marks === "block" ? key.name : "c" + key.c})`;
    if (marks === "shape") { mark.textContent = GLYPHS[key.h]; mark.style.color = colour; }
    else if (marks === "block") mark.style.background = colour;
    else mark.style.borderTop = `3px ${DASHES[key.d]} ${colour}`;
    list.append(button([mark, broken(key.name)], "false", (event) => {
      figure.only = figure.only === s ? -1 : s;
      for (const other of list.children) other.setAttribute("aria-pressed", other === event.currentTarget && figure.only === s);
      figure.made?.signal("only", figure.only).run();
    }));
  });
  if (list.children.length > 1 || marks === "shape") figure.append(list);
}
const AXES = { ArrowLeft: ["x", -0.2, 1], ArrowRight: ["x", 0.2, 1], ArrowDown: ["y", -0.2, 1], ArrowUp: ["y", 0.2, 1],
  "+": ["xy", 0, 0.7], "-": ["xy", 0, 1 / 0.7], 0: ["xy", 0, 0] };
// Zoom and move from the keyboard: the same signals that the wheel sets.
function steer(figure, event) {
  const step = AXES[event.key], names = figure.made ? Object.keys(figure.made.getState().signals) : [];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  for (const axis of step[0]) {
    const signal = names.find((n) => n === `zoom_${axis}` || (axis === "x" && n === "zoom_low"));
    if (!signal) continue;
    const scale = figure.made.scale(axis), [a, b] = scale.domain();
    const log = scale.type === "log", f = log ? Math.log : Number, back = log ? Math.exp : Number;
    const [low, high] = [f(a), f(b)], middle = (low + high) / 2 + step[1] * (high - low), half = (high - low) / 2 * step[2];
    figure.made.signal(signal, step[2] ? [back(middle - half), back(middle + half)] : null);
    event.preventDefault();
  }
  figure.made.run();
}
// A button beside the title that changes how a chart is drawn.
function choice(figure, name, text) {
  const made = button(text, Boolean(figure[name]), () => {
    figure[name] = !figure[name];
    made.setAttribute("aria-pressed", figure[name]);
    draw(figure);
  });
  made.className = `choice ${name}`;
  figure.querySelector("figcaption").append(" ", made);
}
// A chart as a file: the drawing with the colours of the page, or its rows, a table below the other.
async function drawing(figure) {
  const style = getComputedStyle(document.documentElement);
  const text = (await figure.made.toSVG()).replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  return text.replace("<svg ", `<svg style="background:${style.getPropertyValue("--card").trim()}" `);
}
function cell(value) {
  const text = typeof value === "string" ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
function data({ content: { tables, keys } }) {
  const filled = Object.entries(tables).filter(([, { rows }]) => rows.length);
  return filled.map(([name, { cols, rows }]) => {
    const named = rows.map((row) => row.map((value, i) => cols[i] === "s" ? keys[value]?.name : value));
    return [["table", ...cols.map((c) => c === "s" ? "series" : c)], ...named.map((row) => [name, ...row])];
  }).map((lines) => lines.map((line) => line.map(cell).join(",") + "\r\n").join("")).join("\r\n");
}
function downloads(figure) {
  const list = document.createElement("div");
  list.className = "files";
  const file = (title, end, type, make) => button(title, "false", async () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await make(figure)], { type }));
    link.download = `${figure.querySelector("figcaption").firstChild.textContent.trim().replace(/[^\w]+/g, "-").slice(0, 80)}.${end}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  list.append("as ", file("SVG", "svg", "image/svg+xml", drawing), " ", file("data", "csv", "text/csv", data));
  for (const one of list.children) one.removeAttribute("aria-pressed");
  figure.append(list);
}
function begin(figure) {
  if (figure.content) return;
  figure.content = JSON.parse(figure.querySelector("script").textContent);
  figure.log = figure.content.log;
  figure.only = -1;
  legend(figure);
  const meta = specs[figure.content.kind].usermeta;
  if (meta.log) choice(figure, "log", "log scale");
  if (meta.single) choice(figure, "single", "single runs");
  downloads(figure);
  figure.querySelector(".view").addEventListener("keydown", (event) => steer(figure, event));
  figure.drawn = draw(figure);
}
// One after the other, so that the page answers in between.
const waiting = [];
function next() {
  begin(waiting[0]);
  waiting[0].drawn.finally(() => { waiting.shift(); if (waiting.length) setTimeout(next); });
}
const watcher = new IntersectionObserver((seen) => seen.forEach((entry) => {
  if (!entry.isIntersecting) return;
  watcher.unobserve(entry.target);
  if (waiting.push(entry.target) === 1) setTimeout(next);
}), { rootMargin: "300px" });
document.querySelectorAll("figure.chart").forEach((figure) => watcher.observe(figure));
document.querySelectorAll("details.set[open]").forEach(fill);
openTarget();
window.addEventListener("beforeprint", () => {
  [...document.querySelectorAll("figure.chart")].filter((figure) => figure.checkVisibility()).forEach(begin);
});
