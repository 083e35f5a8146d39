// The script of every page below `/docs`.
import { enhancePage } from "../reference/every-page.tsx";

enhancePage();
