/** The page: what was said, what can be done, and the server that is asked. */

import { Dialogue } from "./dialogue.js";
import { EXAMPLES } from "./examples.js";
import { html } from "./elements.js";
import { ServingError, findModels } from "./serving.js";
import { cards } from "./steps.js";
import { World, isKnown, isWorld } from "./worlds.js";

const at = (id) => document.getElementById(id);

/** Everything that changes. */
const page = {
  /** @type {import("./serving.js").Model[]} */ models: [],
  /** @type {Dialogue | null} */ dialogue: null,
  /** @type {Dialogue[]} */ earlier: [],
  /** @type {import("./serving.js").Model | null} */ chosen: null,
  asked: 0,
};

function modelOf(dialogue) {
  return page.models.find((model) => model.name === dialogue.model);
}

/** The world in which the next sentence is said. */
function presentWorld(dialogue, answers) {
  return answers.at(-1)?.worlds[dialogue.last.utterances.length - 1] ?? dialogue.last.world;
}

/**
 * Asks for the answers to a dialogue and shows it; whether that worked.
 * @param {Dialogue} next
 * @param {Dialogue[]} earlier what undo goes back to
 */
async function show(next, earlier) {
  const number = ++page.asked;
  setBusy(true);
  try {
    const model = modelOf(next);
    const answers = await Promise.all(next.parts.map((part) =>
      part.utterances.length ? model.parse(part.world, part.utterances) : null));
    if (number !== page.asked) return false; // somebody was quicker
    const failed = answers.find((answer) => answer?.error);
    if (failed) {
      notice(`No program: ${failed.error}.`);
      return false;
    }
    notice("");
    Object.assign(page, { dialogue: next, earlier, answers });
    history.replaceState(null, "", next.toHash());
    at("steps").replaceChildren(...cards(next, answers, model, changeWorld));
    showChoices(model);
    return true;
  } catch (error) {
    if (!(error instanceof ServingError)) throw error;
    notice(error.message, error.gone ? () => show(next, earlier) : null);
    return false;
  } finally {
    if (number === page.asked) setBusy(false);
  }
}

function setBusy(isBusy) {
  document.body.classList.toggle("busy", isBusy);
  at("steps").setAttribute("aria-busy", String(isBusy));
}

function notice(text, retry = null) {
  const line = at("notice");
  line.hidden = !text;
  line.replaceChildren(text);
  if (retry) line.append(" ", html("button", { type: "button", click: retry }, "Try again"));
}

function tell(text) {
  at("told").textContent = text;
  setTimeout(() => { if (at("told").textContent === text) at("told").textContent = ""; }, 4000);
}

async function say(sentence) {
  const { dialogue, answers } = page;
  const next = dialogue.say(sentence, presentWorld(dialogue, answers), modelOf(dialogue).maxUtterances);
  if (!(await show(next, soFar()))) return;
  at("sentence").value = "";
  at("say").scrollIntoView({ block: "end", behavior: "smooth" });
  tell(`${at("steps").querySelector(".newest code").textContent}`);
}

/** `position` is where the world was changed; who uses the keyboard goes on from there. */
async function changeWorld(world, position) {
  if (!(await show(page.dialogue.change(world), soFar()))) return;
  const places = at("steps").querySelectorAll(".editable .place");
  places[Math.min(position, places.length) - 1]?.focus({ preventScroll: true });
}

/** What undo goes back to from whatever comes next. */
function soFar() {
  return page.dialogue ? [...page.earlier, page.dialogue] : [];
}

function undo() {
  const { earlier } = page;
  if (earlier.length) show(earlier.at(-1), earlier.slice(0, -1));
  else tell("There is nothing to undo.");
}

function open(model, world) {
  return show(new Dialogue(model.name, [{ world, utterances: [] }]), soFar());
}

/** A dialogue with all its steps to go back to. */
function openWhole(dialogue) {
  return show(dialogue, [...soFar(), ...dialogue.earlier()]);
}

function firstWorld(domain) {
  return EXAMPLES[domain]?.[0]?.[1] ?? World.empty(domain).text;
}

function showModels() {
  at("models").replaceChildren(...page.models.map((model) =>
    html("button", { type: "button", click: () => open(model, firstWorld(model.domain)) }, model.name)));
}

/** Marks the model that is chosen, and offers its examples; buttons that can stay keep their focus. */
function showChoices(chosen) {
  if (page.chosen === chosen) return;
  page.chosen = chosen;
  page.models.forEach((model, index) =>
    at("models").children[index].setAttribute("aria-pressed", String(model === chosen)));
  at("examples").replaceChildren(...(EXAMPLES[chosen.domain] ?? []).map(([name, world, utterances]) =>
    html("button", {
      type: "button", class: "plain", title: utterances.join(" · "),
      click: () => openWhole(new Dialogue(chosen.name, [{ world, utterances }])),
    }, name)),
    html("button", {
      type: "button", class: "plain", click: () => open(chosen, World.empty(chosen.domain).text),
    }, chosen.domain === "tangrams" ? "All pieces" : "Empty"));
  at("sentence").placeholder = EXAMPLES[chosen.domain]?.[0]?.[2][0] ?? "";
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link is copied.");
  } catch {
    tell("The link is the address of this page.");
  }
}

/** What is wrong with a dialogue that somebody else wrote, "" if nothing is. */
function complaintAbout(dialogue, model) {
  if (!model) return `There is no model ${dialogue.model} here.`;
  const wrong = dialogue.parts.find(({ world }) => !isWorld(model.domain, world));
  return wrong ? `“${wrong.world}” is not a world of ${model.domain}.` : "";
}

async function openLinked() {
  const linked = Dialogue.fromHash(location.hash);
  const model = linked && modelOf(linked);
  const complaint = linked && complaintAbout(linked, model);
  if (model && !complaint && (await openWhole(linked))) return;
  const shown = complaint || at("notice").textContent;
  const first = model ?? page.models[0];
  await open(first, firstWorld(first.domain));
  if (shown && at("notice").hidden) notice(shown);
}

async function start() {
  notice("");
  const names = document.querySelector("meta[name=models]").content.split(/\s+/).filter(Boolean);
  try {
    page.models = (await findModels(names)).filter((model) => isKnown(model.domain));
  } catch (error) {
    if (!(error instanceof ServingError)) throw error;
    notice(error.message, start);
    return;
  }
  if (!page.models.length) {
    notice(`The server has none of the models ${names.join(", ")}.`, start);
    return;
  }
  showModels();
  await openLinked();
}

at("say").addEventListener("submit", (event) => {
  event.preventDefault();
  const sentence = at("sentence").value.trim();
  if (sentence && page.dialogue) say(sentence);
});
at("undo").addEventListener("click", undo);
at("restart").addEventListener("click", () => {
  if (page.dialogue) open(modelOf(page.dialogue), page.dialogue.parts[0].world);
});
at("share").addEventListener("click", share);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target === at("sentence") && at("sentence").value !== "";
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !isTyping) {
    event.preventDefault();
    undo();
  }
});
addEventListener("hashchange", () => {
  if (page.dialogue && location.hash !== page.dialogue.toHash()) openLinked();
});

await start();
at("sentence").focus({ preventScroll: true });
