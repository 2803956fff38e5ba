import { hasPrivilege, type Privilege } from '../../domain/users/privileges.ts';

/** A part of the console with an entry in the menu. */
export interface Section {
  /** Also the last part of the address. */
  id: string;
  title: string;
  group: (typeof GROUPS)[number];
  /** Required privilege; absent: every member can see the section. */
  needs?: Privilege;
}

/** Groups of the menu, in order. */
export const GROUPS = ['Passes', 'Scanner', 'Delivery', 'Settings'] as const;

/** All sections below the overview, in the order of the menu. */
export const SECTIONS: Section[] = [
  { id: 'templates', title: 'Templates', group: 'Passes' },
  { id: 'passes', title: 'Passes', group: 'Passes' },
  { id: 'bundles', title: 'Bundles', group: 'Passes' },
  { id: 'persons', title: 'Personal data', group: 'Passes', needs: 'personal_data' },
  { id: 'processes', title: 'Processes', group: 'Passes' },
  { id: 'app-configurations', title: 'App configurations', group: 'Scanner' },
  { id: 'scans', title: 'Scans', group: 'Scanner' },
  { id: 'webhooks', title: 'Webhooks', group: 'Delivery' },
  { id: 'messages', title: 'Messages', group: 'Delivery' },
  { id: 'statistics', title: 'Statistics', group: 'Delivery' },
  { id: 'failed-jobs', title: 'Failed jobs', group: 'Delivery', needs: 'owner' },
  { id: 'api-keys', title: 'API keys', group: 'Settings', needs: 'api_keys.manage' },
  { id: 'members', title: 'Members', group: 'Settings', needs: 'owner' },
  { id: 'certificates', title: 'Certificates', group: 'Settings' },
  { id: 'settings', title: 'Settings', group: 'Settings' },
  { id: 'audit-log', title: 'Audit log', group: 'Settings', needs: 'owner' },
];

/** Returns the address of an account's overview. */
export const accountPath = (accountId: string): string => `/console/accounts/${accountId}`;

/** Returns the address of a section, or of a page in it. */
export function sectionPath(accountId: string, ...parts: string[]): string {
  return [accountPath(accountId), ...parts.map(encodeURIComponent)].join('/');
}

/** Returns the sections that a member with these privileges can see. */
export function sectionsFor(privileges: string[]): Section[] {
  return SECTIONS.filter(({ needs }) => needs === undefined || hasPrivilege(privileges, needs));
}

/** Returns whether a member with these privileges can see a section. */
export function hasSection(privileges: string[], id: string): boolean {
  return sectionsFor(privileges).some((section) => section.id === id);
}
