import type { AppConfiguration } from '../app-configurations/table.ts';
import type { Pass } from '../passes/table.ts';
import type { ScanReason } from './table.ts';

type Where = Pick<AppConfiguration, 'place' | 'passTemplateId' | 'passTemplateIds'>;
type Bearer = Pick<Pass, 'templateId' | 'voided' | 'appearance' | 'placesUsedAt'>;

/** Whether a configuration is for passes of this template. */
export function covers({ passTemplateId, passTemplateIds }: Where, templateId: string): boolean {
  return passTemplateIds
    ? passTemplateIds.includes(templateId)
    : passTemplateId === null || passTemplateId === templateId;
}

/** What a pass is worth where a configuration is used (specification, "States and transitions"; decisions §5, §8). Without a place of the configuration, or of the pass, none is asked for. */
export function validityOf(configuration: Where, pass: Bearer): Exclude<ScanReason, 'unknown' | 'told'> {
  if (!covers(configuration, pass.templateId)) return 'uncovered';
  if (pass.voided) return 'voided';
  return placeRefusal(configuration, pass) ?? 'accepted';
}

function placeRefusal(configuration: Where, pass: Bearer): 'elsewhere' | 'used' | undefined {
  const places = boundPlaces(configuration, pass);
  if (!places) return undefined;
  if (!places.includes(configuration.place)) return 'elsewhere';
  return Object.hasOwn(pass.placesUsedAt ?? {}, configuration.place) ? 'used' : undefined;
}

/** The places to which a pass is bound, where that counts. */
export function boundPlaces({ place }: Pick<Where, 'place'>, { appearance }: Pick<Bearer, 'appearance'>) {
  const places = appearance.eligibleValidationPlaces;
  return place !== '' && places?.length ? places : undefined;
}

/** The pass as a read with the configuration's identifier shows it: voided and redeemed where it is worth nothing, whatever its state (specification, "States and transitions"). */
export function seenAt(configuration: Where, pass: Pass): Pass {
  const isGood = covers(configuration, pass.templateId) && !placeRefusal(configuration, pass);
  return isGood ? pass : { ...pass, voided: true, redeemed: true };
}
