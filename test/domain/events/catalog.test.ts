import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { EVENT_TYPES, EVENTS, type EventType, isEventType } from '../../../src/domain/events/catalog.ts';

/*
 * The names and keys from the contract, repeated here independently.
 */

const PASS_KEYS =
  'identifier passId uniqueIdentifier createdOn passTemplate userProvidedId linkToPassPage passTemplateGuid genericProperties';
const REGISTRATION_KEYS = `${PASS_KEYS} operatingSystem noOfActivePasses noOfInactivePasses`;
const TEMPLATE_KEYS = 'uniqueIdentifier name noOfActivePasses noOfCreatedPasses';
const SCAN_KEYS =
  'scanStatus validityReason createdOn passId passGeneratedId passSearchString passVoided passUserProvidedId passTemplateGuid passTemplateName appConfigurationId scannedBarcodeValue appScanId createdOnUtc deviceName additionalPropertiesScan additionalPropertiesPass';
const MESSAGE_KEYS =
  'messageId channel recipient status statusDetails subject passInstanceId templateId createdOn submittedOn';

const KEYS: Record<EventType, string> = {
  pass_created: PASS_KEYS,
  pass_updated: PASS_KEYS,
  pass_voided: PASS_KEYS,
  pass_unvoided: PASS_KEYS,
  pass_deleted: PASS_KEYS,
  pushnotification_registered: REGISTRATION_KEYS,
  first_pushnotification_registered: REGISTRATION_KEYS,
  pushnotification_unregistered: REGISTRATION_KEYS,
  pass_template_created: TEMPLATE_KEYS,
  pass_template_updated: TEMPLATE_KEYS,
  app_scan_created: SCAN_KEYS,
  message_sent: MESSAGE_KEYS,
  message_failed: MESSAGE_KEYS,
};

describe('the catalog', () => {
  test('has the events that can be subscribed to, and no other', () => {
    expect([...EVENT_TYPES].sort()).toEqual(Object.keys(KEYS).sort());
    expect(EVENT_TYPES.every(isEventType)).toBe(true);
    expect(['', 'pass_create', 'PASS_CREATED', 'toString', '__proto__'].filter(isEventType)).toEqual([]);
  });

  test.for(EVENT_TYPES)('has all keys of the body of %s, none of them optional', (type) => {
    const { properties, required } = z.toJSONSchema(EVENTS[type].body);
    const keys = KEYS[type].split(' ').sort();
    expect(Object.keys(properties!).sort()).toEqual(keys);
    expect([...required!].sort()).toEqual(keys);
  });

  test.for(EVENT_TYPES)('shows a valid example of %s', (type) => {
    const { summary, description, body, example } = EVENTS[type];
    expect(body.strict().parse(example)).toEqual(example);
    expect(summary).toMatch(/^(A|An|The) /);
    expect(description).toMatch(/\.$/);
  });
});
