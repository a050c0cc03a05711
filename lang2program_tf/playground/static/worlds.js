/** Worlds of the three domains: reading, writing, comparing, and what a click may change. */

export const COLORS = {
  r: ["red", "#d33f49"],
  y: ["yellow", "#f2c42e"],
  g: ["green", "#3a9b57"],
  o: ["orange", "#ee8434"],
  p: ["purple", "#8451a8"],
  b: ["blue", "#3a78d6"],
};
export const BROWN = ["brown", "#8a5a33"];
export const SHAPES = ["house", "boat", "diamond", "slope", "hourglass"];

const STAGE = 10;
const BEAKERS = 7;
const CAPACITY = 4;

/** Cells of `1:a 2:b …`, by position. */
function readCells(text) {
  return text.split(/\s+/).filter(Boolean).map((cell) => cell.slice(cell.indexOf(":") + 1));
}

function writeCells(cells) {
  return cells.map((cell, index) => `${index + 1}:${cell}`).join(" ");
}

/** A button of the editor: what it says, what color it shows, and the world that it makes. */
function edit(label, cells, { color = null, group = "" } = {}) {
  return { label, color, group, world: writeCells(cells) };
}

function replaced(cells, position, content) {
  return cells.map((cell, index) => (index === position - 1 ? content : cell));
}

const scene = {
  isWorld: (cells) => cells.length === STAGE && cells.every((cell) => /^(__|[rygopbe][rygopb_])$/.test(cell)),
  example: "1:__ 2:__ 3:__ 4:__ 5:__ 6:__ 7:__ 8:__ 9:__ 10:__",
  places: () => STAGE,
  changed: differing,

  describe(cells, position) {
    const [shirt, hat] = cells[position - 1];
    if (shirt === "_") return `position ${position}: nobody`;
    return `position ${position}: ${sceneColor(shirt)} shirt, ${hat === "_" ? "no" : sceneColor(hat)} hat`;
  },

  edits(cells, position) {
    const [shirt, hat] = cells[position - 1];
    const isFree = shirt === "_";
    const edits = Object.entries(COLORS).map(([letter, [name, color]]) =>
      edit(name, replaced(cells, position, letter + hat), {
        color, group: isFree ? "somebody with a shirt of" : "shirt",
      }));
    if (isFree) return edits;
    for (const [letter, [name, color]] of Object.entries(COLORS)) {
      edits.push(edit(name, replaced(cells, position, shirt + letter), { color, group: "hat" }));
    }
    edits.push(edit("no hat", replaced(cells, position, `${shirt}_`), { group: "hat" }));
    edits.push(edit("leave", replaced(cells, position, "__"), { group: "person" }));
    return edits;
  },
};

function sceneColor(letter) {
  return COLORS[letter]?.[0] ?? "plain";
}

const alchemy = {
  isWorld: (cells) => cells.length === BEAKERS && cells.every((cell) => /^(_|[rygopb]{1,4})$/.test(cell)),
  example: "1:_ 2:_ 3:_ 4:_ 5:_ 6:_ 7:_",
  places: () => BEAKERS,
  changed: differing,

  describe(cells, position) {
    const units = unitsOf(cells[position - 1]).map((unit) => alchemyColor(unit)[0]);
    return `beaker ${position}: ${units.length ? units.join(", ") : "empty"}`;
  },

  edits(cells, position) {
    const units = unitsOf(cells[position - 1]);
    const edits = [];
    if (units.length < CAPACITY) {
      for (const letter of Object.keys(COLORS)) {
        const [name, color] = alchemyColor(letter);
        const content = [...units, letter].join("");
        edits.push(edit(name, replaced(cells, position, content), { color, group: "add" }));
      }
    }
    if (units.length) {
      const less = units.slice(0, -1).join("") || "_";
      edits.push(edit("one unit", replaced(cells, position, less), { group: "take" }));
      edits.push(edit("everything", replaced(cells, position, "_"), { group: "take" }));
    }
    return edits;
  },
};

export function unitsOf(content) {
  return content === "_" ? [] : [...content];
}

export function alchemyColor(letter) {
  return letter === "b" ? BROWN : COLORS[letter];
}

const tangrams = {
  isWorld: (cells) => cells.every((cell) => /^[0-4]$/.test(cell)) && new Set(cells).size === cells.length,
  example: "1:0 2:1 3:2 4:3 5:4",
  places: (cells) => cells.length,

  /** New pieces; those that stand elsewhere only if all are the same. */
  changed(before, after) {
    const fresh = after.flatMap((shape, index) => (before.includes(shape) ? [] : [index + 1]));
    return new Set(before.length === after.length ? differing(before, after) : fresh);
  },

  describe(cells, position) {
    return `position ${position}: ${SHAPES[Number(cells[position - 1])]}`;
  },

  edits(cells, position) {
    const piece = cells[position - 1];
    const others = cells.filter((shape) => shape !== piece);
    const edits = cells.flatMap((_, index) => {
      if (index === position - 1) return [];
      const moved = [...others.slice(0, index), piece, ...others.slice(index)];
      return [edit(`${index + 1}`, moved, { group: "move to" })];
    });
    edits.push(edit("remove", others, { group: "piece" }));
    SHAPES.forEach((name, shape) => {
      if (!cells.includes(String(shape))) {
        edits.push(edit(name, [...cells, String(shape)], { group: "add at the end" }));
      }
    });
    return edits;
  },
};

function differing(before, after) {
  return new Set(after.flatMap((cell, index) => (before[index] === cell ? [] : [index + 1])));
}

const DOMAINS = { scene, alchemy, tangrams };

/** Whether the page can draw worlds of a domain. */
export function isKnown(domain) {
  return domain in DOMAINS;
}

/** Whether a text is a world of a domain. */
export function isWorld(domain, text) {
  return DOMAINS[domain].isWorld(readCells(text));
}

/** A world of a domain. */
export class World {
  /**
   * @param {string} domain
   * @param {string} text in the data set's notation
   */
  constructor(domain, text) {
    this.domain = domain;
    this.text = text;
    this.cells = readCells(text);
    this.rules = DOMAINS[domain];
  }

  /** An empty stage, empty beakers, all pieces. */
  static empty(domain) {
    return new World(domain, DOMAINS[domain].example);
  }

  get places() {
    return this.rules.places(this.cells);
  }

  /** Positions where this world differs from an earlier one. */
  changedSince(before) {
    return before ? this.rules.changed(before.cells, this.cells) : new Set();
  }

  /** What an earlier world had and this one has no place for. */
  goneSince(before) {
    const closesUp = before && this.places < before.places;
    return closesUp ? before.cells.filter((cell) => !this.cells.includes(cell)) : [];
  }

  describe(position) {
    return this.rules.describe(this.cells, position);
  }

  /** What a click on a position offers. */
  edits(position) {
    return this.rules.edits(this.cells, position);
  }
}
