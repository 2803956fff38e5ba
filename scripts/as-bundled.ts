/** Files of libraries that the bundle changes. */
export const CHANGED_FILES = /(drizzle-orm\/(entity|sqlite-core\/dialect)|zod\/v4\/core\/schemas)\.js$/;

const COMPARES_CLASSES = /drizzle-orm\/entity\.js$/;
const CLASS_CHECK = 'if (value instanceof type) {\n    return true;\n  }';
const MIGRATION = /^ {2}(?:async )?migrate\(/m;
const METHOD_END = '\n  }\n';
const CHECKS_OBJECTS = /zod\/v4\/core\/schemas\.js$/;
const GENERATES = /^ {4}const generateFastpass = .+?^ {4}\};\n/ms;
const CAN_GENERATE = 'const jit = !core.globalConfig.jitless;';

/** Returns the text of a changed file as it is bundled. */
export function asBundled(path: string, code: string): string {
  if (CHECKS_OBJECTS.test(path)) return withoutGenerated(code);
  return COMPARES_CLASSES.test(path) ? comparingByIdentity(code) : withoutMigrations(code);
}

/**
 * Drizzle also compares classes by name, for programs with two copies of it. A bundle has one, and the search for a
 * name that isn't there took a tenth of the processor time of a write outside of D1.
 */
function comparingByIdentity(code: string): string {
  if (!code.includes(CLASS_CHECK)) throw new Error('drizzle-orm/entity.js checks classes in another way');
  return code.replace(CLASS_CHECK, 'return value instanceof type;');
}

/** Wrangler applies the migrations. */
function withoutMigrations(code: string): string {
  const [start, ...others] = code.split(MIGRATION);
  if (others.length !== 2) throw new Error('drizzle-orm/sqlite-core/dialect.js has other migrations');
  return [start, ...others.map((text) => text.slice(text.indexOf(METHOD_END) + METHOD_END.length))].join('');
}

/** Zod can generate code that checks an object. Workers don't run generated code. */
function withoutGenerated(code: string): string {
  if (!GENERATES.test(code) || !code.includes(CAN_GENERATE)) throw new Error('zod generates code in another way');
  return code.replace(GENERATES, '').replace(CAN_GENERATE, 'const jit = false;');
}
