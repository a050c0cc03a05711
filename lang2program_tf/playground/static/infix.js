/** Programs for people: `yellow hasHat leave` is `leave(hasHat(yellow))`. */

/** How many values each action pops; an action ends a command. */
const ACTIONS = {
  leave: 1, swapHats: 2, move: 2, create: 3,
  pour: 2, mix: 1, drain: 2,
  add: 2, swap: 2, remove: 1,
};

/** How many values other tokens pop; those that are not here push one. */
const FUNCTIONS = {
  index: 2, hasShirt: 1, hasHat: 1, hasShirtHat: 2, leftOf: 1, rightOf: 1, hasColor: 1,
  prevArg1: 1, prevArg2: 1, prevArg3: 1,
};

/**
 * The commands of a program.
 * @param {string} program tokens by the paper's names, separated by spaces
 * @returns {{tokens: string[], infix: string}[]}
 */
export function commands(program) {
  const found = [];
  const actions = []; // what each command performs, null if the text alone does not tell
  let pending = [];
  let terms = [];
  for (const token of program.split(" ").filter(Boolean)) {
    const [wanted, action] = popped(token, terms, actions);
    const split = Math.max(0, terms.length - wanted);
    terms.push(term(token, terms.splice(split)));
    pending.push(token);
    if (action !== undefined) {
      actions.push(action);
      found.push({ tokens: pending, infix: terms.map((one) => one.text).join(", ") });
      pending = [];
      terms = [];
    }
  }
  if (pending.length) {
    found.push({ tokens: pending, infix: terms.map((one) => one.text).join(", ") });
  }
  return found;
}

/** The program as one text. */
export function infix(program) {
  return commands(program).map((command) => command.infix).join("; ");
}

/** How many terms a token takes, and the action that it performs, undefined if it performs none. */
function popped(token, terms, actions) {
  if (token in ACTIONS) return [ACTIONS[token], token];
  if (token !== "prevAction") return [FUNCTIONS[token] ?? 0, undefined];
  const action = repeatedAction(terms, actions);
  return action === null ? [terms.length, null] : [1 + ACTIONS[action], action];
}

function repeatedAction(terms, actions) {
  const last = terms.at(-1)?.token ?? "";
  if (!/^-?\d+$/.test(last)) return null;
  const number = Number(last);
  if (Math.abs(number) > actions.length) return null;
  return actions.at(number > 0 ? number - 1 : number) ?? null;
}

function term(token, parts) {
  const takes = token in ACTIONS || token in FUNCTIONS || token === "prevAction";
  const text = takes ? `${token}(${parts.map((one) => one.text).join(", ")})` : token;
  return { token, text };
}
