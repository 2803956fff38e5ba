import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { launchOptions } from './launch-options.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `openBrowser` reaches the browser of this run. */
    browserEndpoint: string;
  }
}

/** Starts one browser for all files of the browser tests: a start takes longer than most of their tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await chromium.launchServer(launchOptions());
  project.provide('browserEndpoint', browser.wsEndpoint());
  return () => browser.close();
}
