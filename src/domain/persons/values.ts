import type { Pass } from '../passes/table.ts';

/** A shorter value occurs in so many texts that it identifies nobody, unless it is the whole text. */
const IDENTIFYING_CHARS_MIN = 4;

/** Returns the texts of a pass about its holder, each once. */
export function valuesOf(pass: Pass): string[] {
  const { userProvidedId, emailRecipient, phoneRecipient, barcodeValue, generatedId } = pass;
  const texts = [
    userProvidedId,
    emailRecipient,
    phoneRecipient,
    barcodeValue === generatedId ? null : barcodeValue,
    pass.barcodeAlternativeText,
    pass.groupingIdentifier,
    ...Object.values(pass.properties),
    ...Object.values(pass.flight ?? {}),
  ];
  const trimmed = texts.filter((text) => typeof text === 'string').map((text) => text.trim());
  return [...new Set(trimmed)].filter((text) => text !== '');
}

/** Returns the texts that are long enough to look for inside of others. */
export function selectIdentifying(texts: string[]): string[] {
  return texts.filter((text) => text.length >= IDENTIFYING_CHARS_MIN);
}
