/**
 * What was said: parts, each a world and sentences about it. A new part begins when somebody
 * changes the world by hand, and when the parser cannot read more sentences together.
 */

/** @typedef {{world: string, utterances: string[]}} Part */

export class Dialogue {
  /**
   * @param {string} model the model's name
   * @param {Part[]} parts one or more
   */
  constructor(model, parts) {
    this.model = model;
    this.parts = parts;
  }

  get last() {
    return this.parts.at(-1);
  }

  /** The dialogue with one more sentence; `world` is the one that it is said about. */
  say(utterance, world, maxUtterances) {
    const { utterances } = this.last;
    if (utterances.length >= maxUtterances) return this.#with({ world, utterances: [utterance] });
    return this.#replaceLast({ ...this.last, utterances: [...utterances, utterance] });
  }

  /** The dialogue that goes on with another world. */
  change(world) {
    if (!this.last.utterances.length) return this.#replaceLast({ world, utterances: [] });
    return this.#with({ world, utterances: [] });
  }

  /** The dialogue as it was sentence by sentence, without the present one. */
  earlier() {
    const found = [];
    for (let number = 1; number <= this.parts.length; number++) {
      const { world, utterances } = this.parts[number - 1];
      for (let count = 0; count <= utterances.length; count++) {
        const part = { world, utterances: utterances.slice(0, count) };
        found.push(new Dialogue(this.model, [...this.parts.slice(0, number - 1), part]));
      }
    }
    return found.slice(0, -1);
  }

  /** The part of an address that holds all of it. */
  toHash() {
    const fields = new URLSearchParams([["model", this.model]]);
    for (const { world, utterances } of this.parts) {
      fields.append("world", world);
      utterances.forEach((utterance) => fields.append("say", utterance));
    }
    return `#${fields}`;
  }

  /** The dialogue of an address, null if it has none. */
  static fromHash(hash) {
    const fields = new URLSearchParams(hash.replace(/^#/, ""));
    const parts = [];
    for (const [name, value] of fields) {
      if (name === "world") parts.push({ world: value, utterances: [] });
      if (name === "say" && parts.length) parts.at(-1).utterances.push(value);
    }
    return fields.has("model") && parts.length ? new Dialogue(fields.get("model"), parts) : null;
  }

  #with(part) {
    return new Dialogue(this.model, [...this.parts, part]);
  }

  #replaceLast(part) {
    return new Dialogue(this.model, [...this.parts.slice(0, -1), part]);
  }
}
