import { type Shape, startShapedNode } from "../shaped-node";
import type { Target } from "./readings";
import { heldBy, type NodeShape, SET, shapeOf } from "./shape";

/**
 * Starts a node of a shape, with what every node of the matrix holds.
 *
 * @param change What it answers otherwise.
 * @returns the node, and how it is reached by the settings of its shape.
 */
export async function startNode(shape: NodeShape, change: (answers: Shape) => Partial<Shape> = () => ({})) {
  const answers = shapeOf(shape);
  const node = await startShapedNode({ [SET]: heldBy(shape).entries }, { ...answers, ...change(answers) });
  const target: Target = { endpoint: node.endpoint, ...shape.settings };
  return Object.assign(node, { target });
}
