import fc, { type IAsyncProperty, type IProperty, type Parameters, type StringConstraints } from 'fast-check';
import type { Plugin } from 'vite';

const THIS = import.meta.filename;
/** A property test of a thousand cases takes seconds, and every change that it reaches runs it. */
const CASES = 25;

/** The tests see this module instead of fast-check: each property has fewer cases, and none is made smaller after it failed. */
export function withFewerCases(): Plugin {
  return {
    name: 'fewer-cases',
    enforce: 'pre',
    resolveId: (source, importer) => (source === 'fast-check' && importer !== THIS ? THIS : undefined),
  };
}

function assert<Ts>(property: IProperty<Ts> | IAsyncProperty<Ts>, parameters: Parameters<Ts> = {}) {
  const numRuns = Math.min(parameters.numRuns ?? CASES, CASES);
  return fc.assert(property, { ...parameters, numRuns, endOnFailure: true });
}

/** Any character, as the unit `binary` has them. Its own table takes more than a second to make. */
const ANY_CHARACTER = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

function string(constraints: StringConstraints = {}) {
  return fc.string(constraints.unit === 'binary' ? { ...constraints, unit: ANY_CHARACTER } : constraints);
}

export default { ...fc, assert, string };
