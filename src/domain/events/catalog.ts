/** Every event that a subscription can name (decisions §6). */
export const EVENT_TYPES = [
  'pass_created',
  'pass_updated',
  'pass_voided',
  'pass_unvoided',
  'pass_deleted',
  'pushnotification_registered',
  'first_pushnotification_registered',
  'pushnotification_unregistered',
  'pass_template_created',
  'pass_template_updated',
  'app_scan_created',
  'message_sent',
  'message_failed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
