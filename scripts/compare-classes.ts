/** Drizzle's module that compares classes. */
export const DRIZZLE_CLASSES = /drizzle-orm\/entity\.js$/;

const CLASS_CHECK = 'if (value instanceof type) {\n    return true;\n  }';

/**
 * Drizzle also compares classes by name, for programs with two copies of it. A bundle has one, and the search for a
 * name that isn't there took a tenth of the processor time of a write outside of D1.
 */
export function compareClasses(code: string): string {
  if (!code.includes(CLASS_CHECK)) throw new Error('drizzle-orm/entity.js checks classes in another way');
  return code.replace(CLASS_CHECK, 'return value instanceof type;');
}
