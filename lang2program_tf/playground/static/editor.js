/** Changing a world by clicking: every place of its picture is a button that opens a row of others. */

import { html } from "./elements.js";
import { World } from "./worlds.js";

/**
 * @param {HTMLElement} picture holds the drawing of the world
 * @param {World} world
 * @param {(world: string, position: number) => void} change is told the new world, and where it is new
 */
export function makeEditable(picture, world, change) {
  picture.classList.add("editable");
  for (const place of picture.querySelectorAll(".place")) {
    const position = Number(place.dataset.position);
    place.setAttribute("tabindex", "0");
    place.setAttribute("role", "button");
    place.setAttribute("aria-label", `${world.describe(position)}, change it`);
    const open = () => openPanel(picture, place, world, position, change);
    place.addEventListener("click", open);
    place.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open();
      } else if (event.key === "ArrowRight") place.nextElementSibling?.focus();
      else if (event.key === "ArrowLeft") place.previousElementSibling?.focus();
    });
  }
  if (!world.places) picture.append(addPanel(world, change));
}

function openPanel(picture, place, world, position, change) {
  closePanel(picture);
  place.classList.add("chosen");
  const panel = html("div", { class: "panel", role: "group", "aria-label": world.describe(position) },
    html("p", {}, world.describe(position)), ...groups(world.edits(position), position, change),
    html("button", { type: "button", class: "plain", click: () => {
      closePanel(picture);
      place.focus();
    } }, "close"));
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    closePanel(picture);
    place.focus();
  });
  picture.append(panel);
  panel.querySelector("button").focus();
}

function closePanel(picture) {
  picture.querySelector(".panel")?.remove();
  picture.querySelector(".chosen")?.classList.remove("chosen");
}

/** The buttons, those of one group in a line. */
function groups(edits, position, change) {
  const names = [...new Set(edits.map((one) => one.group))];
  return names.map((name) => html("div", { class: "line", role: "group", "aria-label": name },
    html("span", {}, name),
    ...edits.filter((one) => one.group === name).map(({ label, color, world }) =>
      html("button", {
        type: "button", title: label, "aria-label": `${name} ${label}`,
        class: color ? "swatch" : "plain", "--color": color ?? "transparent",
        click: () => change(world, position),
      }, color ? "" : label))));
}

/** An empty row of tangrams has no place to click on. */
function addPanel(world, change) {
  return html("div", { class: "panel" }, ...groups(world.edits(0), 1, change));
}
