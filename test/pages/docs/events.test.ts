import { beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TYPES, EVENTS } from '../../../src/domain/events/catalog.ts';
import { send } from '../../support/api.ts';

describe('the events in the reference', () => {
  let page: string;
  beforeAll(async () => {
    page = (await send('GET', '/docs')).body;
  });

  test('have an anchor each, linked from the contents', () => {
    const articles = [...page.matchAll(/<article class="operation event" id="(\w+)".*?<\/article>/gs)];
    const types = articles.map(([article]) => /<code>(\w+)<\/code>/.exec(article)![1]);
    expect(types).toEqual(EVENT_TYPES);
    for (const [, id] of articles) expect(page).toContain(`<a class="operation-link" href="#${id}">`);
  });

  test('describe each body once, with an example, and refer to it otherwise', () => {
    const bodies = new Set(Object.values(EVENTS).map(({ body }) => body));
    const events = page.slice(page.indexOf('id="events"'));
    expect(events.match(/<caption>Body<\/caption>/g)).toHaveLength(bodies.size);
    expect(events.match(/The body has the same members as/g)).toHaveLength(EVENT_TYPES.length - bodies.size);
    expect(events).toContain('href="#onPassCreated"');
  });

  test('describe the headers of a delivery', () => {
    for (const header of ['X-Event-Type', 'webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect(page).toContain(`<code class="name">${header}</code>`);
    }
  });
});
