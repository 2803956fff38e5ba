import { createContext, useContext } from 'hono/jsx';
import type { Account } from '../../domain/accounts/table.ts';
import type { Issue } from '../../domain/errors.ts';
import { hasPrivilege, type Privilege } from '../../domain/users/privileges.ts';
import type { SignedInUser } from '../../domain/users/sessions.ts';
import { sectionPath } from './sections.ts';

/** Who looks at which account, and what the reply says of the request: known wherever its page is drawn. */
export interface Viewer {
  user: SignedInUser;
  account: Account;
  privileges: string[];
  /** Whether the user has other accounts. */
  hasOthers: boolean;
  /** What a rule found wrong with the form that was sent. */
  issues: Issue[];
  /** Lets styles of this one page pass the Content-Security-Policy of its reply. */
  nonce: string;
}

/** Hono keeps the values of a render apart from those of others. */
export const ViewerContext = createContext<Viewer | undefined>(undefined);

/** Who looks at the page that is being drawn, which is one of an account. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('Drawn outside of a page of an account');
  return viewer;
}

/** Whether the viewer has a privilege. */
export function viewerHas(privilege: Privilege): boolean {
  return hasPrivilege(useViewer().privileges, privilege);
}

/** Address of a section of the viewer's account, or of what stands in it. */
export function hrefTo(section: string, ...parts: string[]): string {
  return sectionPath(useViewer().account.id, section, ...parts);
}
