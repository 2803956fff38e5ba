import type { Tool } from '../tool.ts';
import { bulkUpdate, processStatus } from './bulk.ts';
import { passTimeline, searchPasses } from './find-passes.ts';
import { createPass, readPass, sendPush, updatePass, voidPass } from './passes.ts';
import { listScans, recordScan } from './scans.ts';
import { describeTemplate, listTemplates } from './templates.ts';
import { webhookHealth } from './webhooks.ts';

/** All tools, in the order in which an assistant is likely to need them. */
export const TOOLS: readonly Tool[] = [
  listTemplates,
  describeTemplate,
  createPass,
  readPass,
  updatePass,
  voidPass,
  searchPasses,
  passTimeline,
  sendPush,
  recordScan,
  listScans,
  bulkUpdate,
  processStatus,
  webhookHealth,
];
