import { PERSONAL_PLACEHOLDERS } from '../personal-placeholders.ts';
import type { Refuse } from '../refuse.ts';
import type { GoogleInput } from './input.ts';

interface Described {
  google?: GoogleInput | null;
  additionalProperties: { id?: string | null; name: string; personal?: boolean }[];
  translations: Record<string, Record<string, string>>;
}

/**
 * Refuses personal placeholders in texts of a Google class: passes share it, Google keeps it, and erasing one pass
 * can't change it. Translations count too.
 */
export function refusePersonalClassTexts(
  { google, additionalProperties, translations }: Described,
  refuse: Refuse,
): void {
  const { venue, dateTime } = google ?? {};
  const isPersonal = (name: string) => {
    const property = additionalProperties.find((one) => one.id === name || one.name === name);
    return property ? property.personal === true : PERSONAL_PLACEHOLDERS.has(name);
  };
  for (const [member, texts] of Object.entries({ venue, dateTime })) {
    for (const [name, text] of Object.entries(texts ?? {})) {
      if (!text) continue;
      const written = [
        text,
        ...Object.values(translations).flatMap((one) => (Object.hasOwn(one, text) ? one[text]! : [])),
      ];
      const names = written.flatMap((one) => [...one.matchAll(/\{([^{}]+)\}/g)].map(([, inner]) => inner!.trim()));
      const found = names.find(isPersonal);
      if (found)
        refuse(['google', member, name], `can't hold personal data such as {${found}}, because passes share it`);
    }
  }
}
