import { SOURCES } from '../apple/sources.ts';
import type { TemplateDefinition } from '../definition.ts';
import { type PlacedList, shownOnPoster, styleLists, upcomingLists } from './apple-field-lists.ts';
import type { Note } from './finding.ts';

/**
 * Notes keys that occur twice in what a device shows at once: the style, the poster, or an upcoming event. The style
 * and the poster may share keys, as in Apple's examples, because a device shows only one of them.
 */
export function noteKeys(definition: TemplateDefinition, note: Note): void {
  for (const lists of [styleLists(definition), shownOnPoster(definition), ...upcomingLists(definition)])
    noteRepeats(lists, note);
}

function noteRepeats(lists: PlacedList[], note: Note): void {
  const first = new Map<string, string>();
  for (const { path, items } of lists) {
    for (const [i, { key }] of items.entries()) {
      if (!key) continue;
      const other = first.get(key);
      const message = `"${key}" is also the key of ${other}; in the pass file, this field gets another key`;
      if (other === undefined) first.set(key, `${path}.${i}`);
      else note('warning', `${path}.${i}.key`, message, SOURCES.fieldContent);
    }
  }
}
