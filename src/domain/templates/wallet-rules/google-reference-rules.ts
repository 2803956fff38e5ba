import { type GoogleFinding, type Linted, reference } from './google-finding.ts';

const MODULE_PATH = /^object\.textModulesData\['([^']*)'\]/;

/** Finds field paths of a layout that name text modules which no pass of the template has. */
export function referenceFindings({ definition, google }: Linted): GoogleFinding[] {
  // A field without a key is stored with a key of its list and position.
  const keys = Object.entries(definition.fields).flatMap(([list, items]) =>
    items.map(({ key, index }, i) => (key ?? `${list}${index ?? i}`).replaceAll(/[^A-Za-z0-9_-]/g, '_')),
  );
  const ids = new Set([...keys, ...(google.textModulesData ?? []).map(({ id }) => id)]);
  return fieldPaths('google.classTemplateInfo', google.classTemplateInfo).flatMap(([path, fieldPath]) => {
    const [, id] = MODULE_PATH.exec(fieldPath) ?? [];
    if (id === undefined || ids.has(id)) return [];
    const message = `names the text module "${id}", which is neither a field nor a module in google.textModulesData`;
    return [{ path, severity: 'warning', message, source: reference('ClassTemplateInfo') }];
  });
}

function fieldPaths(path: string, value: unknown): [path: string, fieldPath: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]): [string, string][] =>
    name === 'fieldPath' ? [[`${path}.fieldPath`, String(part)]] : fieldPaths(`${path}.${name}`, part),
  );
}
