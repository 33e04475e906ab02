import type { Plugin } from 'esbuild';

/** The module in which the SDK names its validator of JSON schemas, which is Ajv: a third of the SDK's code, 290 KB. */
const SHIMS = '@modelcontextprotocol/server/_shims';

/**
 * Leaves Ajv out of the bundle. The SDK asks it in `elicitInput` and `fromJsonSchema` only, and nothing here calls these: tools check
 * their arguments with zod, and an answer to a question is checked where it is read (`src/tools/dialog-channel.ts`).
 */
export const withoutSchemaValidator: Plugin = {
  name: 'without-schema-validator',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^${SHIMS}$`) }, ({ path, resolveDir }) => ({
      path,
      namespace: 'shims',
      pluginData: resolveDir,
    }));
    onLoad({ filter: /.*/, namespace: 'shims' }, ({ pluginData }) => ({
      contents: `
        export { default as process } from 'node:process';
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error('the bundle has no validator of JSON schemas'); }
        }`,
      resolveDir: pluginData,
    }));
  },
};
