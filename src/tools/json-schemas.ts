import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';

type Convert = StandardSchemaWithJSON['~standard']['jsonSchema']['input'];
type JsonSchema = ReturnType<Convert>;

/** A tool's schemas, as clients see them. */
interface ToolSchemas {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

interface ZodSchemas {
  readonly name: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
}

/** Inserted by build.ts as JSON, because converting takes a while and clients wait for the list of tools. */
declare const BUILT_SCHEMAS: string | undefined;
const built: Readonly<Record<string, ToolSchemas>> = typeof BUILT_SCHEMAS === 'string' ? JSON.parse(BUILT_SCHEMAS) : {};

/** The only dialect the SDK asks for. */
const TARGET = 'draft-2020-12';

const FAILURE = z.object({
  error: z.object({ code: z.string(), sentence: z.string(), retry: z.literal(true).optional() }),
  ignored: z.string().optional(),
});

/**
 * The output schema covers failures too: clients of the 1.x SDK check failures against it and would reject them otherwise.
 */
export function jsonSchemasOf({ input, output }: Omit<ZodSchemas, 'name'>): ToolSchemas {
  const { $schema, ...result } = convertSchema(output, 'output');
  const { $schema: _, ...failure } = convertSchema(FAILURE, 'output');
  return { input: convertSchema(input, 'input'), output: { $schema, anyOf: [result, failure] } };
}

/**
 * A tool's schemas for the SDK, which only publishes them. The tool checks its arguments by itself, because the SDK's
 * messages quote the arguments, have no code and no structured form.
 */
export function sdkSchemasOf(tool: ZodSchemas): Record<keyof ToolSchemas, StandardSchemaWithJSON> {
  let schemas = built[tool.name];
  const convert =
    (side: keyof ToolSchemas): Convert =>
    ({ target }) => {
      if (target !== TARGET) throw new Error(`The SDK asks for schemas of another kind: ${target}.`);
      schemas ??= jsonSchemasOf(tool);
      return schemas[side];
    };
  return { input: uncheckedSchema(convert('input')), output: uncheckedSchema(convert('output')) };
}

function convertSchema(schema: z.ZodType, side: keyof ToolSchemas): JsonSchema {
  return (schema as unknown as StandardSchemaWithJSON)['~standard'].jsonSchema[side]({ target: TARGET });
}

function uncheckedSchema(convert: Convert): StandardSchemaWithJSON {
  const jsonSchema = { input: convert, output: convert };
  return { '~standard': { version: 1, vendor: 'surety', validate: (value) => ({ value }), jsonSchema } };
}
