// Writes an HWP 5 file with hwplib from a list of paragraphs and table cells (see make.py).
import java.nio.file.*;
import java.util.*;
import kr.dogfoot.hwplib.object.HWPFile;
import kr.dogfoot.hwplib.object.bodytext.Section;
import kr.dogfoot.hwplib.object.bodytext.control.*;
import kr.dogfoot.hwplib.object.bodytext.control.ctrlheader.CtrlHeaderGso;
import kr.dogfoot.hwplib.object.bodytext.control.ctrlheader.gso.*;
import kr.dogfoot.hwplib.object.bodytext.control.gso.textbox.*;
import kr.dogfoot.hwplib.object.bodytext.control.table.*;
import kr.dogfoot.hwplib.object.bodytext.paragraph.Paragraph;
import kr.dogfoot.hwplib.object.bodytext.paragraph.header.ParaHeader;
import kr.dogfoot.hwplib.object.bodytext.paragraph.lineseg.LineSegItem;
import kr.dogfoot.hwplib.object.docinfo.BorderFill;
import kr.dogfoot.hwplib.object.docinfo.borderfill.*;
import kr.dogfoot.hwplib.tool.blankfilemaker.BlankFileMaker;
import kr.dogfoot.hwplib.writer.HWPWriter;

public class Hwp {
    static int border;

    static void fill(Paragraph p, String text, boolean last, boolean page) throws Exception {
        ParaHeader h = p.getHeader();
        h.setLastInList(last);
        h.setParaShapeId(3);
        h.setStyleId((short) 0);
        h.getDivideSort().setDividePage(page);
        h.setCharShapeCount(1);
        h.setLineAlignCount(1);
        h.setInstanceID(0);
        p.createText();
        p.getText().addString(text);
        p.createCharShape();
        p.getCharShape().addParaCharShape(0, 0);
        seg(p);
    }

    static void seg(Paragraph p) {
        p.createLineSeg();
        LineSegItem s = p.getLineSeg().addNewLineSegItem();
        s.setTextStartPosition(0);
        s.setLineVerticalPosition(0);
        s.setLineHeight(1000);
        s.setTextPartHeight(1000);
        s.setDistanceBaseLineToLineVerticalPosition(850);
        s.setLineSpace(600);
        s.setStartPositionFromColumn(0);
        s.setSegmentWidth(42520);
        s.getTag().setFirstSegmentAtLine(true);
        s.getTag().setLastSegmentAtLine(true);
    }

    static void table(Paragraph p, int rows, int cols, List<String[]> cells) throws Exception {
        fill(p, "", false, false);
        p.getText().addExtendCharForTable();
        ControlTable c = (ControlTable) p.addNewControl(ControlType.Table);
        CtrlHeaderGso g = c.getHeader();
        g.getProperty().setLikeWord(true);
        g.getProperty().setVertRelTo(VertRelTo.Para);
        g.getProperty().setHorzRelTo(HorzRelTo.Para);
        g.getProperty().setWidthCriterion(WidthCriterion.Absolute);
        g.getProperty().setHeightCriterion(HeightCriterion.Absolute);
        g.getProperty().setTextFlowMethod(TextFlowMethod.FitWithText);
        g.setWidth(42000);
        g.setHeight(1700 * rows);
        Table t = c.getTable();
        t.getProperty().setDivideAtPageBoundary(DivideAtPageBoundary.DivideByCell);
        t.getProperty().setAutoRepeatTitleRow(true);
        t.setRowCount(rows);
        t.setColumnCount(cols);
        t.setLeftInnerMargin(510);
        t.setRightInnerMargin(510);
        t.setTopInnerMargin(141);
        t.setBottomInnerMargin(141);
        t.setBorderFillId(border);
        for (int i = 0; i < rows; i++) {
            Row row = c.addNewRow();
            int n = 0;
            for (String[] x : cells) {
                if (Integer.parseInt(x[1]) != i) continue;
                n++;
                Cell cell = row.addNewCell();
                ListHeaderForCell h = cell.getListHeader();
                h.setParaCount(1);
                h.getProperty().setTextVerticalAlignment(TextVerticalAlignment.Center);
                h.setRowIndex(i);
                h.setColIndex(Integer.parseInt(x[2]));
                h.setRowSpan(Integer.parseInt(x[3]));
                h.setColSpan(Integer.parseInt(x[4]));
                h.setWidth(42000 / cols * Integer.parseInt(x[4]));
                h.setHeight(1700 * Integer.parseInt(x[3]));
                h.setLeftMargin(510);
                h.setRightMargin(510);
                h.setTopMargin(141);
                h.setBottomMargin(141);
                h.setBorderFillId(border);
                h.setTextWidth(42000 / cols);
                fill(cell.getParagraphList().addNewParagraph(), x[5], true, false);
            }
            t.getCellCountOfRowList().add(n);
        }
    }

    static void edge(EachBorder b) {
        b.setType(BorderType.Solid);
        b.setThickness(BorderThickness.MM0_12);
        b.getColor().setValue(0);
    }

    public static void main(String[] a) throws Exception {
        HWPFile f = BlankFileMaker.make();
        BorderFill b = f.getDocInfo().addNewBorderFill();
        for (EachBorder e : List.of(b.getLeftBorder(), b.getRightBorder(), b.getTopBorder(), b.getBottomBorder())) edge(e);
        b.getDiagonalBorder().setType(BorderType.None);
        b.getDiagonalBorder().setThickness(BorderThickness.MM0_1);
        border = f.getDocInfo().getBorderFillList().size();
        Section s = f.getBodyText().getSectionList().get(0);
        s.getParagraph(0).getHeader().setLastInList(false);
        List<String> lines = Files.readAllLines(Path.of(a[0]));
        boolean page = false, first = true;
        for (int i = 0; i < lines.size(); i++) {
            String[] x = lines.get(i).split("\t", -1);
            if (x[0].equals("B")) {
                page = true;
            } else if (x[0].equals("P")) {
                boolean last = i == lines.size() - 1;
                if (first) {
                    s.getParagraph(0).getText();
                    if (s.getParagraph(0).getText() == null) s.getParagraph(0).createText();
                    s.getParagraph(0).getText().addString(x[2]);
                } else {
                    fill(s.addNewParagraph(), x[2], last, page);
                }
                first = false;
                page = false;
            } else if (x[0].equals("T")) {
                List<String[]> cells = new ArrayList<>();
                while (!lines.get(i + 1).equals("E")) cells.add(lines.get(++i).split("\t", -1));
                i++;
                table(s.addNewParagraph(), Integer.parseInt(x[1]), Integer.parseInt(x[2]), cells);
            }
        }
        HWPWriter.toFile(f, a[1]);
    }
}
