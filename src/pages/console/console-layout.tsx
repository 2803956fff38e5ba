import type { Child } from 'hono/jsx';
import type { SignedInUser } from '../../domain/users/sessions.ts';
import { Brand, SERVICE_NAME } from '../home/brand.tsx';
import { Layout } from '../layout.tsx';
import { CONSOLE_STYLESHEET } from './stylesheets.ts';

/** A page above the current one. */
export interface Crumb {
  title: string;
  href: string;
}

export interface ConsoleLayoutProps {
  title: string;
  /** Absent on the pages before sign-in. */
  user?: SignedInUser;
  /** The way down to this page, without itself. */
  trail?: Crumb[];
  children: Child;
}

/** The frame of every console page: who is signed in, the way out, and where this page stands. */
export function ConsoleLayout({ title, user, trail = [], children }: ConsoleLayoutProps) {
  return (
    <Layout language="en" title={`${title} · ${SERVICE_NAME}`} stylesheet={CONSOLE_STYLESHEET}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top-bar">
        <Brand />
        <nav aria-label="Site">
          {user && (
            <a class="where-wide" href="/console">
              Console
            </a>
          )}
          <a href="/docs">
            API<span class="where-wide"> reference</span>
          </a>
          {user && <SignOut user={user} />}
        </nav>
      </header>
      <main class={user ? 'console' : 'console narrow'} id="content" tabindex={-1}>
        {trail.length > 0 && (
          <nav class="trail" aria-label="Breadcrumb">
            <ol>
              {trail.map((crumb) => (
                <li>
                  <a href={crumb.href}>{crumb.title}</a>
                </li>
              ))}
            </ol>
          </nav>
        )}
        {children}
      </main>
    </Layout>
  );
}

function SignOut({ user }: { user: SignedInUser }) {
  return (
    <form class="sign-out" method="post" action="/console/sign-out">
      <span class="where-wide">{user.email}</span>
      <button type="submit">Sign out</button>
    </form>
  );
}
