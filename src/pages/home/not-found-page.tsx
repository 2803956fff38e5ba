import { Layout } from '../layout.tsx';
import { Brand, SERVICE_NAME } from './brand.tsx';

/** What a person sees at an address that leads nowhere. */
export function NotFoundPage() {
  return (
    <Layout language="en" title={`Page not found · ${SERVICE_NAME}`} stylesheet="home/styles.css">
      <header class="top-bar">
        <Brand />
      </header>
      <main class="home">
        <div class="pitch">
          <h1>Page not found</h1>
          <p>There is no page at this address. Check the link, or open the home page.</p>
          <p class="ways-in">
            <a class="button" href="/">
              Open home page
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
