import { createContext, useContext } from 'hono/jsx';
import type { Account } from '../../domain/accounts/table.ts';
import type { Issue } from '../../domain/errors.ts';
import { hasPrivilege, type Privilege } from '../../domain/users/privileges.ts';
import type { SignedInUser } from '../../domain/users/sessions.ts';
import { sectionPath } from './sections.ts';

/** The viewer of a page, available everywhere in its components. */
export interface Viewer {
  user: SignedInUser;
  account: Account;
  privileges: string[];
  /** Whether the user has more accounts. */
  hasOthers: boolean;
  /** Issues of the submitted form. */
  issues: Issue[];
  /** Labels of the fields that have issues, by the path of the issue. Fields add theirs when they are drawn. */
  labels: Map<string, string>;
  /** CSP nonce for the styles of this reply. */
  nonce: string;
}

/** Hono keeps the contexts of concurrent renders apart. */
export const ViewerContext = createContext<Viewer | undefined>(undefined);

/** Returns the viewer of an account's page. Throws on other pages. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('Drawn outside of a page of an account');
  return viewer;
}

/** Returns whether the viewer has a privilege. */
export const viewerHas = (privilege: Privilege): boolean => hasPrivilege(useViewer().privileges, privilege);

/** Returns the address of a section of the viewer's account, or of a page in it. */
export function hrefTo(section: string, ...parts: string[]): string {
  return sectionPath(useViewer().account.id, section, ...parts);
}
