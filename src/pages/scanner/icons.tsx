/*
 * All icons are drawn on a grid of 24 × 24 in the color of the surrounding text. The page contains each once; `Icon`
 * and the script refer to it by name.
 */

const PATHS = {
  good: 'M12 1.5a10.5 10.5 0 1 1 0 21 10.5 10.5 0 0 1 0-21Zm5.3 6.2-6.9 6.9-3.1-3.1-2 2 5.1 5.1 8.9-8.9Z',
  warning: 'M12 1.8 23.3 21.5H.7Zm-1.4 7 .4 6.4h2l.4-6.4Zm1.4 7.7a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z',
  bad: 'M7.7 1.5h8.6l6.2 6.2v8.6l-6.2 6.2H7.7l-6.2-6.2V7.7Zm.9 5.1-2 2 3.4 3.4-3.4 3.4 2 2 3.4-3.4 3.4 3.4 2-2-3.4-3.4 3.4-3.4-2-2-3.4 3.4Z',
  open: 'M5.5 1.5h13v2.3h-1.2v2.4c0 2.1-1.2 4-3 4.9l-1.7.9 1.7.9c1.8.9 3 2.8 3 4.9v2.4h1.2v2.3h-13v-2.3h1.2v-2.4c0-2.1 1.2-4 3-4.9l1.7-.9-1.7-.9c-1.8-.9-3-2.8-3-4.9V3.8H5.5Zm3.5 2.3v2.4c0 .9.4 1.7 1 2.3h4c.6-.6 1-1.4 1-2.3V3.8Zm3 9.7-1 .6c-1.2.6-2 1.9-2 3.2l3-1.6 3 1.6c0-1.3-.8-2.6-2-3.2Z',
  torch:
    'M7 2h10v3H7Zm0 4.5h10V8l-2.5 4v8.5a1.5 1.5 0 0 1-1.5 1.5h-2a1.5 1.5 0 0 1-1.5-1.5V12L7 8Zm5 6.5a1.25 1.25 0 1 0 0 2.5 1.25 1.25 0 0 0 0-2.5Z',
  keyboard:
    'M3.5 5h17A1.5 1.5 0 0 1 22 6.5v11a1.5 1.5 0 0 1-1.5 1.5h-17A1.5 1.5 0 0 1 2 17.5v-11A1.5 1.5 0 0 1 3.5 5ZM5 8v2h2V8Zm4 0v2h2V8Zm4 0v2h2V8Zm4 0v2h2V8ZM5 11.5v2h2v-2Zm4 0v2h2v-2Zm4 0v2h2v-2Zm4 0v2h2v-2ZM7.5 15v1.5h9V15Z',
  list: 'M3 5h3v3H3Zm5.5.500H21v2H8.5ZM3 10.5h3v3H3Zm5.5.500H21v2H8.5ZM3 16h3v3H3Zm5.5.500H21v2H8.5Z',
  settings:
    'M4 6h8.2a3 3 0 0 1 5.6 0H20v2h-2.2a3 3 0 0 1-5.6 0H4Zm11 0a1 1 0 1 0 0 2 1 1 0 0 0 0-2ZM4 16h2.2a3 3 0 0 1 5.6 0H20v2h-8.2a3 3 0 0 1-5.6 0H4Zm5 0a1 1 0 1 0 0 2 1 1 0 0 0 0-2Z',
  close: 'm5.6 4.2 6.4 6.4 6.4-6.4 1.4 1.4-6.4 6.4 6.4 6.4-1.4 1.4-6.4-6.4-6.4 6.4-1.4-1.4 6.4-6.4-6.4-6.4Z',
  camera:
    'M9 4h6l1.5 2.5h3A2.5 2.5 0 0 1 22 9v8.5a2.5 2.5 0 0 1-2.5 2.5h-15A2.5 2.5 0 0 1 2 17.5V9a2.5 2.5 0 0 1 2.5-2.5h3Zm3 4.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Zm0 2a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Z',
  undo: 'M9 4v4h5.5a5.5 5.5 0 0 1 0 11H7v-2h7.5a3.5 3.5 0 0 0 0-7H9v4L3.5 9Z',
  lock: 'M12 2a5 5 0 0 1 5 5v2.5h.5A1.5 1.5 0 0 1 19 11v9.5a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 20.5V11a1.5 1.5 0 0 1 1.5-1.5H7V7a5 5 0 0 1 5-5Zm0 2a3 3 0 0 0-3 3v2.5h6V7a3 3 0 0 0-3-3Zm0 9.5a1.5 1.5 0 0 0-.7 2.8V18.5h1.4v-2.2a1.5 1.5 0 0 0-.7-2.8Z',
};

export type IconName = keyof typeof PATHS;

/** All icons, hidden. */
export function IconSheet() {
  return (
    <svg class="icon-sheet" aria-hidden="true" focusable="false">
      {Object.entries(PATHS).map(([name, path]) => (
        <symbol id={`icon-${name}`} viewBox="0 0 24 24">
          <path d={path} fill="currentColor" fill-rule="evenodd" />
        </symbol>
      ))}
    </svg>
  );
}

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true" focusable="false">
      <use href={`#icon-${name}`} />
    </svg>
  );
}
