import { expect, test } from 'vitest';
import { openFirstSchema, rowsOf } from '../../support/migrations.ts';

test('images that were pending before their time was recorded are due at once', () => {
  const { database, migrate } = openFirstSchema();
  const columns = `id, account_id, template_id, template_version, generated_id, barcode_value, properties, appearance, page_token,
    file_token, authentication_token, created_at, modified_at`;
  const insert = database.prepare(
    `insert into passes (${columns}) values (?1, 'a', 't', 1, ?1, '', '{}', ?2, ?1, ?1, ?1, 0, 0)`,
  );
  const images = { logo: 'https://images.example.com/a.png' };
  const appearances = {
    none: {},
    waiting: { colors: { labelColor: '#000000' }, pendingImages: { images } },
    noted: { pendingImages: { images, dueAt: 9 } },
  };
  for (const [id, appearance] of Object.entries(appearances)) insert.run(id, JSON.stringify(appearance));
  migrate('0003_images_of_passes');
  migrate('0005_images_awaited_before');
  const rows = rowsOf(database, 'select id, appearance from passes order by key');
  expect(Object.fromEntries(rows.map(({ id, appearance }) => [id, JSON.parse(String(appearance))]))).toEqual({
    ...appearances,
    waiting: { ...appearances.waiting, pendingImages: { images, dueAt: 0 } },
  });
});
