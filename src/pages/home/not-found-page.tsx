import { Layout } from '../layout.tsx';
import { Brand, SERVICE_NAME } from './brand.tsx';
import { HOME_STYLESHEET } from './stylesheets.ts';

/** What a person sees at an address that leads nowhere. */
export function NotFoundPage() {
  return (
    <Layout language="en" title={`Nothing here · ${SERVICE_NAME}`} stylesheet={HOME_STYLESHEET}>
      <header class="top-bar">
        <Brand />
      </header>
      <main class="home">
        <div class="pitch">
          <h1>Nothing here</h1>
          <p>There is no page at this address. Check the link, or begin at the front page.</p>
          <p class="ways-in">
            <a class="button" href="/">
              To the front page
            </a>
            <a class="button quiet" href="/docs">
              API reference
            </a>
          </p>
        </div>
      </main>
    </Layout>
  );
}
