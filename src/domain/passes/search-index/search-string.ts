import type { Pass, PropertyValue } from '../table.ts';

/** Returns the texts by which people find a pass, separated by pipes. */
export function searchString(
  pass: Pick<Pass, 'userProvidedId' | 'barcodeValue' | 'generatedId' | 'properties'>,
): string {
  const parts: (PropertyValue | null)[] = [
    pass.userProvidedId,
    pass.barcodeValue,
    pass.generatedId,
    ...Object.values(pass.properties),
  ];
  return [...new Set(parts.filter((part) => part !== null && part !== ''))].join('|');
}
