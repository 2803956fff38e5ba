import type { Subject } from '../../../domain/dead-letters/letter-subject.ts';
import type { DeadJob } from '../../../domain/dead-letters/table.ts';

const WORDS: Record<DeadJob['type'], string> = {
  'apply-process-range': 'Process a batch of passes',
  'delete-account': 'Delete the data of a deleted account',
  'delete-app-scans': 'Remove the scans of a deleted app configuration',
  'delete-pass-files': 'Remove the stored files of a deleted pass',
  'delete-template-passes': 'Delete the passes of a deleted template',
  'deliver-webhooks': 'Deliver events to a webhook',
  'end-google-object': 'Expire a deleted pass in Google Wallet',
  'erase-passes': 'Erase the data of deleted passes',
  'fan-out-events': 'Create webhook deliveries',
  'import-pass-images': 'Fetch the images of a pass',
  'publish-to-google': 'Create a pass in Google Wallet',
  'push-page': 'Push to some of a template’s passes',
  'push-passes': 'Notify devices of changed passes',
  'push-template-notification': 'Send a notification to a template’s passes',
  'push-to-device': 'Notify a new device of a changed pass',
  'push-to-google': 'Update a pass in Google Wallet',
  'recover-webhooks': 'Recover missed webhook events',
  'select-process-passes': 'Select the passes of a process',
  'send-message': 'Send a pass by e-mail or SMS',
  'walk-push-fan-out': 'Push to a template’s passes',
};

/** What a job was to do. One of another version of the service goes by its type. */
export function wordsOf(type: string): string {
  return Object.hasOwn(WORDS, type) ? WORDS[type as DeadJob['type']] : type;
}

/** What a job is about: its name, and the section in which it has its page. */
export const SUBJECTS: Record<Subject['kind'], { title: string; section: string }> = {
  message: { title: 'Message', section: 'messages' },
  pass: { title: 'Pass', section: 'passes' },
  process: { title: 'Process', section: 'processes' },
  subscription: { title: 'Webhook', section: 'webhooks' },
  template: { title: 'Template', section: 'templates' },
};
