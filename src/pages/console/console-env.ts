import type { Context } from 'hono';
import type { AccountContext } from '../../domain/context.ts';
import type { LiveSession, MembershipOfUser, SignedInUser } from '../../domain/users/sessions.ts';
import type { PageEnv } from '../page-env.ts';

/** Environment of a console page behind `requireUser`. */
export interface ConsoleEnv extends PageEnv {
  Variables: PageEnv['Variables'] & {
    user: SignedInUser;
    session: Pick<LiveSession, 'id' | 'createdAt' | 'hasPasskey'>;
    /** Memberships of the user, oldest first. */
    memberships: MembershipOfUser[];
  };
}

export type ConsoleContext = Context<ConsoleEnv>;

/** Environment of an account's page behind `requireMembership`. */
export interface AccountEnv extends ConsoleEnv {
  Variables: ConsoleEnv['Variables'] & {
    /** Context of the account in the address. */
    acting: AccountContext;
    privileges: string[];
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a page takes contexts of all paths
export type AccountPageContext = Context<AccountEnv, any>;
