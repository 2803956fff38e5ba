import type { Pass } from '../passes/table.ts';

/** A shorter value stands in so much else that it tells nobody, unless it stands alone. */
const TELLING_CHARS_MIN = 4;

/** The texts that a pass has of its holder, each once. */
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
  const told = texts.filter((text) => typeof text === 'string').map((text) => text.trim());
  return [...new Set(told)].filter((text) => text !== '');
}

/** Those of the texts that may be looked for inside of others. */
export function tellingOf(texts: string[]): string[] {
  return texts.filter((text) => text.length >= TELLING_CHARS_MIN);
}
