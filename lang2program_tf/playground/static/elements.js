/** HTML elements in one expression; all text goes in as text, never as HTML. */

/**
 * @param {string} name
 * @param {Record<string, unknown>} attributes `class`, `title`, …; functions listen to the event of
 *   their name, names with `--` are variables of the style
 * @param {...(Node | string | null)} children
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key.startsWith("--")) element.style.setProperty(key, value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
