import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/domain/*/table.ts',
  out: './migrations',
});
