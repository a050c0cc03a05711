/** Worlds as SVG. Every position is a group of its own, which a page can make a button. */

import { COLORS, World, alchemyColor, unitsOf } from "./worlds.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const CELL = 100;

/**
 * The picture of a world.
 * @param {World} world
 * @param {World | null} before marks what differs from it
 * @returns {SVGSVGElement}
 */
export function draw(world, before = null) {
  const painter = PAINTERS[world.domain];
  const gone = world.goneSince(before);
  const places = Math.max(world.places + gone.length, 1);
  const svg = element("svg", {
    viewBox: `0 0 ${places * CELL} ${painter.height + 34}`,
    role: "group",
    class: `world ${world.domain}`,
  });
  svg.style.maxWidth = `${places * painter.width}px`;
  svg.setAttribute("aria-label", world.text || "an empty row");
  const changed = world.changedSince(before);
  for (let position = 1; position <= world.places; position++) {
    svg.append(drawPlace(world, before, position, changed.has(position), painter));
  }
  gone.forEach((content, index) => {
    svg.append(drawGone(content, world.places + index, painter));
  });
  if (painter.floor) svg.append(painter.floor(places));
  if (!world.places && !gone.length) {
    const text = element("text", { x: CELL / 2, y: 60, class: "empty" });
    text.textContent = "nothing";
    svg.append(text);
  }
  return svg;
}

function drawPlace(world, before, position, isChanged, painter) {
  const place = element("g", {
    class: isChanged ? "place changed" : "place",
    transform: `translate(${(position - 1) * CELL} 0)`,
    "data-position": position,
  });
  const title = element("title");
  title.textContent = world.describe(position) + (isChanged ? " (changed)" : "");
  const ground = element("rect", {
    class: "ground", x: 3, y: 3, width: CELL - 6, height: painter.height + 28, rx: 10,
  });
  place.append(title, ground, ...painter.paint(world.cells[position - 1], {
    ghost: isChanged && before ? before.cells[position - 1] : null,
  }));
  const number = element("text", { x: CELL / 2, y: painter.height + 24, class: "number" });
  number.textContent = position;
  place.append(number);
  return place;
}

/** What stood in a row that has closed up, behind its end. */
function drawGone(content, index, painter) {
  const place = element("g", { class: "gone", transform: `translate(${index * CELL} 0)` });
  const ghost = element("g", { class: "ghost" });
  ghost.append(...painter.paint(content, { ghost: null }));
  const label = element("text", { x: CELL / 2, y: painter.height + 24, class: "number" });
  label.textContent = "gone";
  place.append(ghost, label);
  return place;
}

const PAINTERS = {
  scene: { height: 150, width: 92, paint: paintPerson, floor: stageFloor },
  alchemy: { height: 160, width: 105, paint: paintBeaker },
  tangrams: { height: 100, width: 110, paint: paintPiece },
};

function stageFloor(places) {
  return element("rect", { class: "floor", x: 0, y: 146, width: places * CELL, height: 6 });
}

function paintPerson(content, { ghost }) {
  if (content[0] === "_") {
    return ghost && ghost[0] !== "_" ? [personShape(ghost, "ghost")] : [];
  }
  return [personShape(content, "person")];
}

function personShape([shirt, hat], kind) {
  const body = element("g", { class: kind });
  const shirtColor = COLORS[shirt]?.[1] ?? "#ddd";
  body.append(
    path("M38 118h9v28h-12zM62 118h-9v28h12z", "#555a66"),
    path("M34 74q16-8 32 0l14 26-10 6-7-12v26h-26v-26l-7 12-10-6z", shirtColor, "cloth"),
    element("circle", { cx: 50, cy: 54, r: 15, fill: "#e9c6a3", class: "cloth" }),
    path("M44 53v4M56 53v4M45 61q5 4 10 0", "none", "face"),
  );
  if (hat !== "_") {
    body.append(path("M28 44h44v-6h-10v-22q-12-5-24 0v22h-10z", COLORS[hat]?.[1] ?? "#ddd", "cloth"));
  }
  return body;
}

function paintBeaker(content) {
  const parts = unitsOf(content).map((letter, index) =>
    element("rect", {
      x: 24, y: 124 - 30 * index, width: 52, height: 30,
      fill: alchemyColor(letter)?.[1] ?? "#ddd", class: "unit",
    }));
  return [...parts, path("M20 22q3 4 3 10v118q0 6 6 6h42q6 0 6-6v-118q0-6 3-10", "none", "glass"),
    path("M66 64h10M66 94h10M66 124h10", "none", "mark")];
}

// Each made of a few triangles and squares, as the pieces of a tangram are.
const PIECES = [
  [["M50 12L88 48H12z", "#c8553d"], ["M24 48h52v40h-52z", "#e07a5f"]],
  [["M50 10v48h-32z", "#3d6fb4"], ["M54 22v36h24z", "#5c8fd6"], ["M12 62h76l-14 24h-48z", "#2f5793"]],
  [["M50 10L86 50H14z", "#4c9a6a"], ["M14 50h72L50 90z", "#6dbb8a"]],
  [["M50 20h40l-30 28h-40z", "#b58a2a"], ["M40 52h40l-30 28h-40z", "#dcb14a"]],
  [["M14 12h72L50 50z", "#8451a8"], ["M50 50l36 38h-72z", "#a678c6"]],
];

function paintPiece(content) {
  const parts = PIECES[Number(content)] ?? [];
  const group = element("g", { class: "piece" });
  group.append(...parts.map(([shape, color]) => path(shape, color, "cloth")));
  return [group];
}

function path(shape, fill, kind = "") {
  return element("path", { d: shape, fill, class: kind });
}

function element(name, attributes = {}) {
  const found = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
}
