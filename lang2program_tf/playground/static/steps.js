/** The dialogue on the page: a card for each sentence, and one for each world it starts from. */

import { alternativesOf, stepsOf } from "./answers.js";
import { attentionTable } from "./attention.js";
import { draw } from "./drawing.js";
import { makeEditable } from "./editor.js";
import { html } from "./elements.js";
import { World } from "./worlds.js";

/**
 * All cards of a dialogue.
 * @param {import("./dialogue.js").Dialogue} dialogue
 * @param {Record<string, any>[]} answers one for each part that has sentences, null for others
 * @param {import("./serving.js").Model} model
 * @param {(world: string, position: number) => void} change is called when a click makes another world
 */
export function cards(dialogue, answers, model, change) {
  const found = [];
  let number = 0;
  dialogue.parts.forEach((part, index) => {
    const isLast = index === dialogue.parts.length - 1;
    const steps = answers[index] ? stepsOf(part, answers[index]) : [];
    const start = new World(model.domain, part.world);
    found.push(startCard(start, index > 0 ? startText(dialogue, index, answers, model) : "The world",
      isLast && !steps.length ? change : null));
    steps.forEach((step, place) => {
      number += 1;
      const isNewest = isLast && place === steps.length - 1;
      found.push(stepCard(step, number, model, {
        part, answer: answers[index], isNewest, change: isNewest ? change : null,
      }));
    });
  });
  return found;
}

function startText(dialogue, index, answers, model) {
  const before = answers[index - 1]?.worlds[dialogue.parts[index - 1].utterances.length - 1];
  return before === dialogue.parts[index].world
    ? `The parser reads ${model.maxUtterances} sentences together. It goes on from here, and has forgotten what was said.`
    : "Changed by hand. The parser goes on from here, and has forgotten what was said.";
}

function startCard(world, text, change) {
  const picture = html("div", { class: "picture" }, draw(world));
  const card = html("li", { class: "card start" }, html("p", { class: "remark" }, text), picture);
  if (change) makeEditable(picture, world, change);
  return card;
}

function stepCard(step, number, model, { part, answer, isNewest, change }) {
  const world = new World(model.domain, step.world);
  const before = new World(model.domain, step.before);
  const picture = html("div", { class: "picture" }, draw(world, before));
  const card = html("li", { class: isNewest ? "card step newest" : "card step" },
    html("h2", {}, html("span", { class: "count" }, `${number}`), sentence(step)),
    remarks(step),
    html("p", { class: "program" }, html("code", {}, step.infix)),
    picture,
  );
  if (step.world === step.before) card.append(html("p", { class: "remark" }, "The world stays as it is."));
  if (change) makeEditable(picture, world, change);
  const details = html("div", { class: "details" });
  if (isNewest) details.append(alternatives(answer, model.domain, picture, before));
  if (model.canScore && step.tokens.length) details.append(attention(step, part, model, isNewest));
  card.append(details);
  return card;
}

/** The sentence, its unknown words marked. */
function sentence(step) {
  const line = html("span", { class: "sentence" });
  for (const word of step.sentence.split(/(\s+)/)) {
    const plain = word.toLowerCase().replace(/^\W+|\W+$/g, "");
    const isUnknown = plain !== "" && (step.unknown.includes(plain) || step.unknown.includes(word.toLowerCase()));
    line.append(isUnknown ? html("mark", { title: "the parser does not know this word" }, word) : word);
  }
  return line;
}

/** Words that the parser does not know, and how it has read the sentence if not as it stands. */
function remarks(step) {
  const lines = html("div", {});
  if (step.readAs && step.readAs !== step.sentence.toLowerCase().split(/\s+/).join(" ")) {
    lines.append(html("p", { class: "remark" }, `read as: ${step.readAs}`));
  }
  if (step.unknown.length) {
    lines.append(html("p", { class: "remark unknown" }, `unknown: ${step.unknown.join(", ")}`));
  }
  return lines;
}

/**
 * Programs with their probabilities; pointing at one shows where it leads. Of an export that adds
 * up programs, each stands for all that lead to its world.
 */
function alternatives(answer, domain, picture, before) {
  const found = alternativesOf(answer);
  const byWorlds = found.some((one) => one.agreeing > 1);
  const things = byWorlds ? "worlds" : "programs";
  const rows = found.map((one, index) => {
    const percent = 100 * one.probability;
    const code = html("code", {}, ...one.commands.flatMap(({ infix, isSame }, place) => [
      place ? "; " : "", isSame ? html("span", { class: "same", title: infix }, "…") : infix,
    ]));
    const row = html("li", { class: "alternative", tabindex: "0" },
      html("span", { class: "bar", "--share": `${percent}%` }, percent < 0.05 ? "< 0.1 %" : `${percent.toFixed(1)} %`), code,
      byWorlds ? html("span", { class: "remark agreeing" },
        one.agreeing === 1 ? "one program" : `${one.agreeing} programs agree`) : null,
    );
    if (index > 0) {
      const isSame = one.world === answer.world[0];
      preview(row, picture, new World(domain, one.world), before,
        isSame ? "This program leads to the same world:" : "This program leads here instead:");
    }
    return row;
  });
  return html("details", { open: true, class: "alternatives" },
    html("summary", {}, rows.length > 1 ? `${rows.length} ${things}` : `one ${things.slice(0, -1)}`),
    html("ol", {}, ...rows));
}

/** While a row is pointed at or in focus, the picture shows where its program leads. */
function preview(row, picture, world, before, text) {
  const hide = () => {
    picture.querySelector(".preview")?.remove();
    picture.classList.remove("previewing");
  };
  const show = () => {
    hide();
    picture.append(html("div", { class: "preview" },
      html("p", { class: "remark" }, text), draw(world, before)));
    picture.classList.add("previewing");
  };
  for (const event of ["mouseenter", "focus"]) row.addEventListener(event, show);
  for (const event of ["mouseleave", "blur"]) row.addEventListener(event, hide);
}

/** A table that is asked for when it is opened. */
function attention(step, part, model, isOpen) {
  const content = html("div", { class: "scroll" });
  const details = html("details", { class: "attention" },
    html("summary", {}, "the words each token looked at"), content);
  details.addEventListener("toggle", async () => {
    if (!details.open || content.childElementCount) return;
    try {
      content.replaceChildren(await attentionTable(step, part, model));
    } catch (error) {
      content.textContent = error.message;
    }
  });
  details.open = isOpen;
  return details;
}
