/** Dialogues to start from. */

export const EXAMPLES = {
  scene: [
    ["Two on a stage", "1:__ 2:__ 3:r_ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__", [
      "the man in red moves to the left of the man in yellow",
      "they swap their hats",
      "the man in red leaves",
    ]],
    ["A crowd", "1:bg 2:__ 3:__ 4:r_ 5:gp 6:__ 7:__ 8:__ 9:yo 10:__", [
      "a person in purple appears on the right end",
      "the person in a green hat moves to the right of the person in red",
      "the person in a yellow shirt leaves",
    ]],
  ],
  alchemy: [
    ["Pour and mix", "1:ggg 2:_ 3:_ 4:o 5:_ 6:r 7:yy", [
      "pour the orange beaker into the green one",
      "mix it",
      "throw out one unit of the yellow chemical",
    ]],
    ["Down the drain", "1:p 2:yyy 3:_ 4:gg 5:r 6:_ 7:oooo", [
      "empty the second beaker",
      "pour the red beaker into the purple one",
      "drain two units from the last beaker",
    ]],
  ],
  tangrams: [
    ["Swap and remove", "1:2 2:1 3:4 4:0 5:3", [
      "swap the first and the last figure",
      "remove the third figure",
      "bring it back at the right end",
    ]],
    ["One by one", "1:0 2:1 3:2 4:3 5:4", [
      "delete the second figure",
      "delete the last figure",
      "swap the first and second figures",
    ]],
  ],
};
