/** A table of the words that each token of a command looked at. */

import { html } from "./elements.js";

/**
 * @param {import("./answers.js").Step} step
 * @param {{world: string, utterances: string[]}} part
 * @param {import("./serving.js").Model} model
 */
export async function attentionTable(step, part, model) {
  const beginnings = step.tokens.map((_, count) =>
    [...step.prefix, ...step.tokens.slice(0, count)].join(" "));
  const rows = await model.score(part.world, part.utterances, beginnings);
  const failed = rows.find((row) => row.error);
  if (failed) throw new Error(failed.error);
  const words = rows[0].words.filter(Boolean);
  return html("table", {},
    html("thead", {}, html("tr", {}, html("th", {}, "token"), html("th", {}, "sure"),
      ...words.map((word) => html("th", { scope: "col" }, word)))),
    html("tbody", {}, ...rows.map((row, index) => tokenRow(step.tokens[index], row, words, model))));
}

function tokenRow(token, row, words, model) {
  const place = model.tokens.indexOf(token);
  const sure = place < 0 ? "" : `${Math.round(100 * Math.exp(row.log_prob[place]))} %`;
  return html("tr", {}, html("th", { scope: "row" }, html("code", {}, token)), html("td", {}, sure),
    ...words.map((_, index) => {
      const percent = Math.round(100 * row.attention[index]);
      return html("td", { class: "weight", "--weight": `${percent}%`, title: `${percent} %` },
        percent >= 5 ? `${percent}` : "");
    }));
}
