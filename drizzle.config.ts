import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/{domain,dev}/*/table.ts',
  out: './migrations',
});
