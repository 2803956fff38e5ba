/** Returns the element with this id, which the server has drawn. */
export function element<E extends Element = HTMLElement>(id: string): E {
  const found: Element | null = document.getElementById(id);
  if (!found) throw new Error(`the page has no element "${id}"`);
  return found as E;
}

/** Creates an HTML element. Properties that are functions become listeners. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | boolean | (() => void)> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Returns an icon from the page's sheet. */
export function icon(name: string, className = 'icon'): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#icon-${name}`);
  svg.append(use);
  return svg;
}
