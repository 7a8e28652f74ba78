"use strict";
// Sort a table by a column: numbers by data-v, text by what it says; cells without a value always come last.
function sortBy(button) {
  const head = button.closest("th"), table = head.closest("table"), body = table.tBodies[0];
  const column = [...head.parentNode.children].indexOf(head);
  const down = head.getAttribute("aria-sort") === "ascending";
  const rows = [...body.rows].map((row, place) => {
    const cell = row.cells[column], value = cell.dataset.v ?? cell.textContent.trim();
    const number = parseFloat(value);
    return { row, place, empty: value === "" || value === "-", key: cell.dataset.v !== undefined ? number : value.toLowerCase() };
  });
  rows.sort((a, b) => {
    if (a.empty !== b.empty) return a.empty ? 1 : -1;
    const order = a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    return (down ? -order : order) || a.place - b.place;
  });
  rows.forEach((r) => body.appendChild(r.row));
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
}
function openAll(open) {
  document.querySelectorAll("details.set").forEach((d) => { d.open = open; });
}
// A link to a submission opens it.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.closest("th")) sortBy(button);
  if (button.dataset.open) openAll(button.dataset.open === "yes");
});
window.addEventListener("hashchange", openTarget);
window.addEventListener("beforeprint", () => openAll(true));
openTarget();
