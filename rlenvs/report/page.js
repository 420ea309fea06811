// Hover values on the curves, and the reader of rollouts. Text is only ever set as text.
"use strict";

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== ""));
  return made;
}

// Curves.

const tip = element("div", { id: "tip", role: "status", hidden: "" });
document.body.append(tip);

function follow(svg) {
  const { width, points } = JSON.parse(svg.dataset.curves);
  const cursor = svg.querySelector(".cursor");
  let current = points.length - 1;

  function show(index) {
    current = Math.min(points.length - 1, Math.max(0, index));
    const [x, step, lines] = points[current];
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    cursor.setAttribute("visibility", "visible");
    const rows = lines.map(([colour, name, value]) =>
      element("p", {}, element("i", { class: "c" + colour }), name + " ", element("b", {}, value)));
    tip.replaceChildren(element("p", {}, "step " + step), ...rows);
    tip.hidden = false;
    const box = svg.getBoundingClientRect();
    const at = box.left + (x / width) * box.width;
    const left = at + 14 + tip.offsetWidth > innerWidth ? at - 14 - tip.offsetWidth : at + 14;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.max(4, Math.min(box.top + 10, innerHeight - tip.offsetHeight - 4)) + "px";
  }

  function hide() {
    cursor.setAttribute("visibility", "hidden");
    tip.hidden = true;
  }

  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    let nearest = 0;
    points.forEach((point, index) => {
      if (Math.abs(point[0] - x) < Math.abs(points[nearest][0] - x)) nearest = index;
    });
    show(nearest);
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) show(current); });
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: points.length - 1 };
    if (event.key in moves) {
      event.preventDefault();
      show(moves[event.key]);
    }
  });
}

document.querySelectorAll("svg[data-curves]").forEach(follow);

// Rollouts.

const PER_PAGE = 8;

function judged(row) {
  if (row.correct === null) return "not judged";
  return row.correct >= 1 - 1e-9 ? "right" : row.correct > 0 ? "partly right" : "wrong";
}

const CLASSES = { right: "right", wrong: "wrong", "partly right": "partly", "not judged": "unjudged" };

function number(value) {
  return value === null ? "–" : String(Math.round(value * 1e4) / 1e4);
}

function message(role, text, kind) {
  const body = text ? element("pre", {}, text) : element("p", { class: "note" }, "(nothing)");
  return element("div", { class: "message " + kind }, element("b", {}, role), body);
}

function article(row) {
  const verdict = judged(row);
  const parts = Object.entries(row.parts).map(([name, value]) => name + " " + number(value)).join(", ");
  const header = element("header", {},
    element("strong", {}, row.task),
    element("span", { class: CLASSES[verdict] }, verdict),
    element("span", {}, "reward " + number(row.reward)),
    parts ? element("span", {}, parts) : "",
    element("span", {}, row.ending),
    element("span", {}, row.tokens + " tokens"),
    element("span", {}, "attempt " + row.attempt),
    row.seat === "policy" ? "" : element("span", {}, "seat " + row.seat),
    element("span", {}, "policy version " + row.version));
  const body = row.messages.map(({ role, content }) =>
    message(role, content, role === "assistant" ? "assistant" : "other"));
  return element("article", {}, header, ...body, row.error ? message("error", row.error, "error") : "");
}

function choice(label, options, changed) {
  const select = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
  select.addEventListener("change", changed);
  return [element("label", {}, label, select), select];
}

function read(viewer, sources) {
  let page = 0;
  const again = () => { page = 0; draw(); };
  const [sourceLabel, source] = choice("from", sources.map((each, index) => [index, each.title]), again);
  const verdicts = ["all", "right", "partly right", "wrong", "not judged"];
  const [verdictLabel, verdict] = choice("verdict", verdicts.map((name) => [name, name]), again);
  const endings = [...new Set(sources.flatMap((each) => each.rows.map((row) => row.ending)))].sort();
  const [endingLabel, ending] = choice("ending", ["all", ...endings].map((name) => [name, name]), again);
  const search = element("input", { type: "search" });
  search.addEventListener("input", again);
  const list = element("div", { "aria-live": "polite" });
  const pagers = [pager(), pager()];

  function pager() {
    const back = element("button", { type: "button" }, "Previous");
    const on = element("button", { type: "button" }, "Next");
    const where = element("span", {});
    back.addEventListener("click", () => { page -= 1; draw(); viewer.scrollIntoView(); });
    on.addEventListener("click", () => { page += 1; draw(); viewer.scrollIntoView(); });
    return { back, on, where, bar: element("div", { class: "pager" }, back, on, where) };
  }

  function matches(row) {
    const text = search.value.toLowerCase();
    return (verdict.value === "all" || judged(row) === verdict.value)
      && (ending.value === "all" || row.ending === ending.value)
      && (!text || [row.task, ...row.messages.map((each) => each.content)].some((each) => each.toLowerCase().includes(text)));
  }

  function draw() {
    const chosen = sources[source.value];
    const rows = chosen.rows.filter(matches);
    const shown = rows.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
    list.replaceChildren(...shown.map(article));
    const first = page * PER_PAGE + 1;
    const counted = rows.length
      ? `${first}–${first + shown.length - 1} of ${rows.length}`
      : "None match.";
    const kept = chosen.rows.length < chosen.all ? `; the page carries ${chosen.rows.length} of ${chosen.all} here` : "";
    for (const { back, on, where } of pagers) {
      back.disabled = page === 0;
      on.disabled = (page + 1) * PER_PAGE >= rows.length;
      where.textContent = counted + kept;
    }
  }

  const controls = element("div", { class: "controls" },
    sourceLabel, verdictLabel, endingLabel, element("label", {}, "search", search));
  viewer.replaceChildren(controls, pagers[0].bar, list, pagers[1].bar);
  draw();
}

const viewer = document.getElementById("viewer");
if (viewer) read(viewer, JSON.parse(document.getElementById("rollouts").textContent));
