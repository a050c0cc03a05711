/**
 * What the page shows of the answer to one part of a dialogue. It needs the outputs `program`,
 * `world`, `worlds`, `log_prob` and `error` of the signature `parse`; it shows `agreeing`, `read_as`
 * and `unknown_words` where an export has them, and ignores all others.
 */

import { commands } from "./infix.js";

/**
 * @typedef {{sentence: string, infix: string, tokens: string[], prefix: string[], before: string,
 *   world: string, unknown: string[], readAs: string}} Step
 */

/**
 * The sentences of a part with what became of them.
 * @param {{world: string, utterances: string[]}} part
 * @param {Record<string, any>} answer a row of the outputs
 * @returns {Step[]}
 */
export function stepsOf(part, answer) {
  const done = commands(answer.program[0]);
  return part.utterances.map((sentence, index) => ({
    sentence,
    infix: done[index]?.infix ?? "",
    tokens: done[index]?.tokens ?? [],
    prefix: done.slice(0, index).flatMap((command) => command.tokens),
    before: index ? answer.worlds[index - 1] : part.world,
    world: answer.worlds[index],
    unknown: (answer.unknown_words?.[index] ?? "").split(" ").filter(Boolean),
    readAs: answer.read_as?.[index] ?? "",
  }));
}

/**
 * The programs of an answer, the most probable first.
 * @returns {{commands: {infix: string, isSame: boolean}[], world: string, probability: number,
 *   agreeing: number}[]}
 */
export function alternativesOf(answer) {
  const best = commands(answer.program[0]);
  return answer.program.flatMap((program, index) => {
    if (!program) return [];
    return [{
      commands: commands(program).map(({ infix }, place) => ({
        infix, isSame: index > 0 && infix === best[place]?.infix,
      })),
      world: answer.world[index],
      probability: Math.exp(answer.log_prob[index]),
      agreeing: answer.agreeing?.[index] ?? 1,
    }];
  });
}
