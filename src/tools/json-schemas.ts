import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';

type Turn = StandardSchemaWithJSON['~standard']['jsonSchema']['input'];
type JsonSchema = ReturnType<Turn>;

/** What clients are told of a tool's arguments and of its results. */
export interface Told {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

interface Typed {
  readonly name: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
}

/** Put in by build.ts, as JSON: clients wait for these before they have heard of any tool, and turning them takes a while. */
declare const BUILT_SCHEMAS: string | undefined;
const built: Readonly<Record<string, Told>> = typeof BUILT_SCHEMAS === 'string' ? JSON.parse(BUILT_SCHEMAS) : {};

/** The dialect that the SDK asks for. */
const TARGET = 'draft-2020-12';

const FAILURE = z.object({ error: z.object({ code: z.string(), sentence: z.string(), retry: z.boolean() }) });

/** Clients of the 1.x SDK hold failures to the output's schema too and would throw one away that it does not describe. */
export function toldOf({ input, output }: Omit<Typed, 'name'>): Told {
  const { $schema, ...result } = turned(output, 'output');
  const { $schema: _, ...failure } = turned(FAILURE, 'output');
  return { input: turned(input, 'input'), output: { $schema, anyOf: [result, failure] } };
}

/**
 * A tool's schemas as they are handed to the SDK. They are shown to clients, and the checking is left to the tool: the
 * SDK's own messages quote what was sent, carry no code and have no structured form.
 */
export function shownOf(tool: Typed): Record<keyof Told, StandardSchemaWithJSON> {
  let told = built[tool.name];
  const turn =
    (way: keyof Told): Turn =>
    ({ target }) => {
      if (target !== TARGET) throw new Error(`The SDK asks for schemas of another kind: ${target}.`);
      told ??= toldOf(tool);
      return told[way];
    };
  return { input: shown(turn('input')), output: shown(turn('output')) };
}

function turned(schema: z.ZodType, way: keyof Told): JsonSchema {
  return (schema as unknown as StandardSchemaWithJSON)['~standard'].jsonSchema[way]({ target: TARGET });
}

function shown(turn: Turn): StandardSchemaWithJSON {
  const jsonSchema = { input: turn, output: turn };
  return { '~standard': { version: 1, vendor: 'surety', validate: (value) => ({ value }), jsonSchema } };
}
