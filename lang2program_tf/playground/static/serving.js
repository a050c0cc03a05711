/** The REST protocol of TF Serving, and nothing else: so the page also works in front of one. */

/** A request that got no answer; `gone` if nobody was there to give one. */
export class ServingError extends Error {
  constructor(message, { gone = false } = {}) {
    super(message);
    this.gone = gone;
  }
}

/** What the page must know of a model before it can ask it. */
export class Model {
  /**
   * @param {string} name what the server calls it
   * @param {{domain: string, maxUtterances: number, canScore: boolean, tokens: string[]}} facts
   */
  constructor(name, facts) {
    Object.assign(this, facts);
    this.name = name;
    this.answers = new Map();
  }

  /**
   * The answer to a dialogue: one row of the outputs of `parse`. Asked once.
   * @param {string} world
   * @param {string[]} utterances
   */
  async parse(world, utterances) {
    const key = JSON.stringify([world, utterances]);
    if (!this.answers.has(key)) {
      const inputs = { world: [world], utterances: [this.#padded(utterances)] };
      this.answers.set(key, firstRow(await predict(this.name, "parse", inputs)));
    }
    return this.answers.get(key);
  }

  /**
   * For each beginning of a program, the words that the next token looks at: rows of `score`.
   * @param {string} world
   * @param {string[]} utterances
   * @param {string[]} programs
   */
  async score(world, utterances, programs) {
    const said = this.#padded(utterances);
    const outputs = await predict(this.name, "score", {
      world: programs.map(() => world),
      utterances: programs.map(() => said),
      program: programs,
    });
    return programs.map((_, row) => rowOf(outputs, row));
  }

  /** All requests have the same width, so that a server can merge them. */
  #padded(utterances) {
    const spare = Math.max(0, this.maxUtterances - utterances.length);
    return [...utterances, ...Array(spare).fill("")];
  }
}

/**
 * Those of some models that the server has.
 * @param {string[]} names
 * @returns {Promise<Model[]>}
 */
export async function findModels(names) {
  const found = await Promise.all(names.map(findModel));
  return found.filter((model) => model !== null);
}

async function findModel(name) {
  let signatures;
  try {
    const answer = await call(`v1/models/${encodeURIComponent(name)}/metadata`);
    signatures = answer.metadata.signature_def.signature_def;
  } catch (error) {
    if (error instanceof ServingError && !error.gone) return null;
    throw error;
  }
  if (!("parse" in signatures)) return null;
  const facts = { domain: name, maxUtterances: 5, canScore: "score" in signatures, tokens: [] };
  if ("metadata" in signatures) {
    const row = firstRow(await predict(name, "metadata", { request: [""] }));
    const settings = JSON.parse(row.settings);
    Object.assign(facts, { domain: row.domain, tokens: row.tokens });
    facts.maxUtterances = settings.max_utterances ?? facts.maxUtterances;
  }
  return new Model(name, facts);
}

async function predict(model, signature, inputs) {
  const answer = await call(`v1/models/${encodeURIComponent(model)}:predict`, {
    method: "POST",
    body: JSON.stringify({ signature_name: signature, inputs }),
  });
  return answer.outputs;
}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ServingError("The server does not answer.", { gone: true });
  }
  const answer = await response.json().catch(() => ({ error: `HTTP status ${response.status}` }));
  if (!response.ok || answer.error) {
    const gone = response.status === 503 || response.status === 502 || response.status === 504;
    throw new ServingError(answer.error ?? `HTTP status ${response.status}`, { gone });
  }
  return answer;
}

function firstRow(outputs) {
  return rowOf(outputs, 0);
}

function rowOf(outputs, row) {
  return Object.fromEntries(Object.entries(outputs).map(([name, rows]) => [name, rows[row]]));
}
