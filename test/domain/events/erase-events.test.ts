import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, EVENTS } from '../../../src/domain/events/catalog.ts';
import { ERASED_MEMBERS } from '../../../src/domain/events/erase-events.ts';

/** Members of bodies without values of a pass or its holder. A new member belongs here or in the erased ones. */
const KEPT = new Set(
  [
    'identifier passId uniqueIdentifier createdOn passTemplate linkToPassPage passTemplateGuid operatingSystem',
    'noOfActivePasses noOfInactivePasses scanStatus validityReason createdOnUtc passGeneratedId passVoided passTemplateName',
    'appConfigurationId appScanId deviceName messageId channel status passInstanceId templateId submittedOn',
  ]
    .join(' ')
    .split(' '),
);

const ofPasses = EVENT_TYPES.filter((type) => !type.startsWith('pass_template'));

describe('the body of', () => {
  test.each(ofPasses)('%s has no member that is neither kept nor erased', (type) => {
    const members = Object.keys(EVENTS[type].body.shape);
    expect(members.filter((name) => !KEPT.has(name) && !Object.hasOwn(ERASED_MEMBERS, name))).toEqual([]);
    expect(Object.keys(ERASED_MEMBERS).filter((name) => KEPT.has(name))).toEqual([]);
  });

  test.each(ofPasses)('%s keeps its structure when it is erased', (type) => {
    const { body, example } = EVENTS[type];
    const erased = Object.fromEntries(
      Object.entries(example).map(([name, value]) => [
        name,
        name in ERASED_MEMBERS ? JSON.parse(ERASED_MEMBERS[name as keyof typeof ERASED_MEMBERS]) : value,
      ]),
    );
    expect(body.safeParse(erased).success).toBe(true);
  });
});
