import type { GoogleInput } from './input.ts';

/** A pass's own fields that are personal; the other ones are properties that say so. */
const PERSONAL = ['emailRecipient', 'phoneRecipient'];

interface Described {
  google?: GoogleInput | null;
  additionalProperties: { id?: string | null; name: string; personal?: boolean }[];
  translations: Record<string, Record<string, string>>;
}

/**
 * Refuses personal placeholders in texts that go into a Google class: passes share it, Google keeps it, and an erasure
 * of one pass can't take it back. A translation counts as its text.
 */
export function refusePersonalClassTexts(
  { google, additionalProperties, translations }: Described,
  refuse: (path: (string | number)[], message: string) => void,
): void {
  const { venue, dateTime } = google ?? {};
  const personal = new Set([
    ...PERSONAL,
    ...additionalProperties.filter((one) => one.personal).flatMap(({ id, name }) => [id, name]),
  ]);
  for (const [member, texts] of Object.entries({ venue, dateTime })) {
    for (const [name, text] of Object.entries(texts ?? {})) {
      if (!text) continue;
      const written = [
        text,
        ...Object.values(translations).flatMap((one) => (Object.hasOwn(one, text) ? one[text]! : [])),
      ];
      const names = written.flatMap((one) => [...one.matchAll(/\{([^{}]+)\}/g)].map(([, inner]) => inner!.trim()));
      const found = names.find((one) => personal.has(one));
      if (found)
        refuse(['google', member, name], `can't hold personal data such as {${found}}, because passes share it`);
    }
  }
}
